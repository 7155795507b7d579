// How a call finds who talks to other nodes.
#ifndef MPIACTOR_ACTOR_CONTAINER_LEADER_POLICY_H_
#define MPIACTOR_ACTOR_CONTAINER_LEADER_POLICY_H_

namespace mpiactor {

enum class LeaderPolicy { kCompetitive, kStatic };

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_LEADER_POLICY_H_
