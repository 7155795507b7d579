// How far ranks run ahead of one that collects their messages (a gather's root), without waiting.
#ifndef MPIACTOR_ACTOR_CONTAINER_COLLECTOR_PACE_H_
#define MPIACTOR_ACTOR_CONTAINER_COLLECTOR_PACE_H_

#include <cstdint>

namespace mpiactor {

// A rank's messages to collectors on one communicator. It need not wait for them, but now and then
// one ends only when it is received: then the collector has come as far.
//
// Messages count, and so do requests: members of a large node take turns in sending for it, so each
// of them sends rarely. A message that need not be waited for is at most kMostRequests requests
// ahead of the collector, far less than the window of the engine's tags.
class CollectorPace {
 public:
  static constexpr std::uint64_t kMostMessages = 64;
  static constexpr std::uint64_t kMostRequests = 512;

  // Whether the next message, of request `sequence`, is waited for. Sequences do not fall.
  bool waits(std::uint64_t sequence) {
    if (++messages_ < kMostMessages && sequence - waited_ < kMostRequests) return false;
    messages_ = 0;
    waited_ = sequence;
    return true;
  }

 private:
  std::uint64_t messages_ = 0;  // since one was waited for
  std::uint64_t waited_ = 0;    // in this request
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_COLLECTOR_PACE_H_
