// A broadcast where all ranks share a node.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_ONE_NODE_BCAST_H_
#define MPIACTOR_ACTOR_COLLECTIVES_ONE_NODE_BCAST_H_

#include <cstdint>

#include "actor/buffers/message.h"
#include "actor/container/container.h"

namespace mpiactor {

// `message.bytes()` > 0. Takes the communicator's next request. Returns the bytes that the root
// sent.
std::uint64_t one_node_bcast(Container& container, const Message& message, int root);

// Whether it would now do so without waiting for anybody, and all would get what they believe in: a
// message that lies in its slot, which is free (root) or has got it (others, who look for it for
// less time than a stack of their own would cost them).
bool one_node_bcast_need_not_wait(Container& container, const Message& message, int root);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_ONE_NODE_BCAST_H_
