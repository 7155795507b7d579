#ifndef MPIACTOR_ACTOR_VERSION_H_
#define MPIACTOR_ACTOR_VERSION_H_

namespace mpiactor {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_VERSION_H_
