#ifndef MPIACTOR_ACTOR_CONTAINER_COLLECTOR_PACE_H_
#define MPIACTOR_ACTOR_CONTAINER_COLLECTOR_PACE_H_

#include <cstdint>

namespace mpiactor {

// Which of the messages that a rank sends to one that collects (a gather's root), and which it need
// not wait for, shall end only when they are received. So now and then the collector has come as
// far, and few messages lie about.
class CollectorPace {
 public:
  static constexpr std::uint64_t kEvery = 64;

  // Of a call's only message.
  bool must_wait_for_receiver() { return ++messages_ % kEvery == 0; }
  // Of request `sequence` of a call that takes many. Each time another member of the node may send:
  // its own count says little of how far the node has come.
  bool must_wait_for_receiver(std::uint64_t sequence) {
    const bool is_turn = must_wait_for_receiver();  // counts in any case
    return is_turn || sequence % kEvery == 0;
  }

 private:
  std::uint64_t messages_ = 0;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_COLLECTOR_PACE_H_
