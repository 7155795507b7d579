#ifndef MPIACTOR_ACTOR_CONTAINER_ROOT_PACE_H_
#define MPIACTOR_ACTOR_CONTAINER_ROOT_PACE_H_

#include <chrono>
#include <optional>

namespace mpiactor {

// How evenly a rank's broadcasts as root follow each other. Where the times between its calls are
// much the same, other ranks come about as late as the root does; the times themselves may be long.
class RootPace {
 public:
  using Clock = std::chrono::steady_clock;

  // Two times between calls that are much the same differ by no more. Ranks of 4 nodes x 4 that
  // come up to 5 ms late wait as long, in the mean, where every candidate of a node gets a copy as
  // where one does: that is what the copies cost.
  static constexpr std::chrono::microseconds kMostVariation{4000};
  // One call may be even by chance.
  static constexpr int kEvenCalls = 2;

  // The rank is root and comes into a call, or leaves it.
  void enter(Clock::time_point now) {
    std::optional<Clock::duration> gap;
    if (left_) gap = now - *left_;
    const bool is_even = gap && gap_ && std::chrono::abs(*gap - *gap_) <= kMostVariation;
    even_calls_ = is_even ? even_calls_ + 1 : 0;
    gap_ = gap;
  }
  void leave(Clock::time_point now) { left_ = now; }
  // Of the call that runs: at least so many even ones have come one after the other.
  bool is_stream() const { return even_calls_ >= kEvenCalls; }

 private:
  std::optional<Clock::time_point> left_;
  std::optional<Clock::duration> gap_;  // between the last call and the one before
  int even_calls_ = 0;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_ROOT_PACE_H_
