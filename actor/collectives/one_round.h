// Allreduce of short vectors on few nodes, in one round of messages: every node sends its vector to
// every other one.
//
// The last member of a node to arrive completes the node's vector and sends it at once, to the home
// of each other node; the home lays down what comes. Whoever brings the last of the nodes' vectors
// combines them all: where a node's last member is the last of all, it needs nobody else's help.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_ONE_ROUND_H_
#define MPIACTOR_ACTOR_COLLECTIVES_ONE_ROUND_H_

#include <cstdint>

#include "actor/collectives/hybrid.h"
#include "actor/container/container.h"
#include "actor/reduction/reduction.h"

namespace mpiactor {

// Memory that a request of vectors of `bytes` takes this way; 0: this is no way for them.
std::uint64_t one_round_bytes(const Container& container, std::uint64_t bytes);
// Whether they go this way, the same on all ranks: where Container::work_bytes() is enough.
bool goes_in_one_round(const Container& container, std::uint64_t bytes);

void one_round_allreduce(Container& container, const Vector& vector, const Reduction& reduction);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_ONE_ROUND_H_
