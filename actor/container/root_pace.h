#ifndef MPIACTOR_ACTOR_CONTAINER_ROOT_PACE_H_
#define MPIACTOR_ACTOR_CONTAINER_ROOT_PACE_H_

#include <cstdint>

namespace mpiactor {

// How quickly a rank's broadcasts as root follow each other. Ranks are not late by more than what
// lies between two calls: neither work nor sleep. That other processes had the core does not count.
class RootPace {
 public:
  // What a thread has done since it began.
  struct Work {
    std::int64_t cpu_us = 0;
    std::int64_t sleeps = 0;  // waits that gave the core away
  };
  static Work of_this_thread();

  // Work between calls that still are quick ones.
  static constexpr std::int64_t kMostCpuUs = 500;
  // Two calls in a row, a length and then its data, are no stream yet.
  static constexpr int kQuickCalls = 2;

  // The rank is root and comes into a call, or leaves it.
  void enter(const Work& work) {
    const bool is_quick =
        work.sleeps == left_.sleeps && work.cpu_us - left_.cpu_us <= kMostCpuUs && has_left_;
    quick_calls_ = is_quick ? quick_calls_ + 1 : 0;
  }
  void leave(const Work& work) {
    left_ = work;
    has_left_ = true;
  }
  // Of the call that runs: at least so many quick ones have come one after the other.
  bool is_stream() const { return quick_calls_ >= kQuickCalls; }

 private:
  Work left_;
  bool has_left_ = false;
  int quick_calls_ = 0;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_ROOT_PACE_H_
