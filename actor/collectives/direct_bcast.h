// Broadcast on one node by single copy: the root says where its message is, and the others read it
// there, as far as they are in time. Those who are not get it through staging in a second request.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_DIRECT_BCAST_H_
#define MPIACTOR_ACTOR_COLLECTIVES_DIRECT_BCAST_H_

#include <cstdint>

#include "actor/collectives/message.h"
#include "actor/container/container.h"

namespace mpiactor {

// Root, which leads request `sequence`: hands the message over and leaves the request. `begun_ns`:
// as of competition::Description. Returns whether some member has not got it, and the next request
// must bring it.
bool hand_over_message(Container& container, std::uint64_t sequence, const Message& message,
                       std::uint64_t begun_ns);

// Another member: whether the root hands its message over in request `sequence`; waits for it.
bool is_handed_over(Container& container, std::uint64_t sequence);
// What has come of it.
struct Taken {
  std::uint64_t sent = 0;  // bytes of the message
  bool is_taken = false;   // else it comes in the next request
  bool any_left = true;    // that next request is
};
// Then: reads it and leaves the request.
Taken take_message(Container& container, std::uint64_t sequence, const Message& message, int root,
                   std::uint64_t entered_ns);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_DIRECT_BCAST_H_
