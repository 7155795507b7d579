// How quickly a rank's calls of one kind follow each other.
#ifndef MPIACTOR_ACTOR_CONTAINER_CALL_PACE_H_
#define MPIACTOR_ACTOR_CONTAINER_CALL_PACE_H_

#include <cstdint>

namespace mpiactor {

// In a stream of calls a rank spends more time in them than between them, time after time. Then
// what a call costs its sender counts, and who comes late counts little: there is not much that it
// could be late by. A few calls in a row (a length, then the data) are none.
class CallPace {
 public:
  static constexpr int kCallsOfStream = 16;

  void enter(std::uint64_t now_ns) {
    const bool soon = now_ns - left_ns_ < inside_ns_;
    calls_ = soon ? calls_ + 1 : 0;
    entered_ns_ = now_ns;
  }
  void leave(std::uint64_t now_ns) {
    left_ns_ = now_ns;
    inside_ns_ = now_ns - entered_ns_;
  }
  // Inside a call: whether it belongs to a stream.
  bool is_stream() const { return calls_ >= kCallsOfStream; }

 private:
  std::uint64_t entered_ns_ = 0;
  std::uint64_t left_ns_ = 0;
  std::uint64_t inside_ns_ = 0;  // the call before
  int calls_ = 0;                // that came soon after the one before
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_CALL_PACE_H_
