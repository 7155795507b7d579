// Up to how many nodes the root of a reduce takes in every node's vector itself.
#ifndef MPIACTOR_ACTOR_CONTAINER_REDUCE_8_H_
#define MPIACTOR_ACTOR_CONTAINER_REDUCE_8_H_

namespace mpiactor {

inline constexpr int kReduceStarNodes = 8;

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_REDUCE_8_H_
