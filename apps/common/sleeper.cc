#include "apps/common/sleeper.h"

#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>

#include "apps/common/arrivals.h"

namespace mpiactor::apps {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

// How long after its time a sleep ends, ns: the median of some. A machine that is too busy to tell
// shall not shorten steps.
std::int64_t usual_wake_ns() {
  constexpr std::int64_t kSleepNs = 300'000;
  constexpr std::int64_t kMostWakeNs = 100'000;
  std::array<std::int64_t, 15> late_ns{};
  for (std::int64_t& late : late_ns) {
    const std::int64_t moment_ns = monotonic_ns() + kSleepNs;
    sleep_until(moment_ns);
    late = monotonic_ns() - moment_ns;
  }
  const auto middle = late_ns.begin() + late_ns.size() / 2;
  std::nth_element(late_ns.begin(), middle, late_ns.end());
  return std::min(*middle, kMostWakeNs);
}

}  // namespace

// A sleep ends up to the timer slack (50 us by default) late. It is narrowed for this sleep alone:
// the waiting inside the MPI library must stay as it is.
void sleep_until(std::int64_t moment_ns) {
  const int slack_ns = prctl(PR_GET_TIMERSLACK);
  prctl(PR_SET_TIMERSLACK, 1UL);
  const timespec moment{.tv_sec = moment_ns / kNsPerSecond, .tv_nsec = moment_ns % kNsPerSecond};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, nullptr) == EINTR) {
  }
  if (slack_ns > 0) prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(slack_ns));
}

Sleeper::Sleeper() : wake_ns_(usual_wake_ns()) {}

void Sleeper::step(std::int64_t begin_ns, double length_ns) {
  const std::int64_t end_ns = begin_ns + std::llround(length_ns);
  const std::int64_t wake_at_ns = end_ns - wake_ns_;
  std::int64_t now_ns = monotonic_ns();
  if (now_ns < wake_at_ns) {
    sleep_until(wake_at_ns);
    now_ns = monotonic_ns();
  } else {
    for (; now_ns < end_ns; now_ns = monotonic_ns()) sched_yield();
  }
  asked_s_ += length_ns * 1e-9;
  spent_s_ += static_cast<double>(now_ns - begin_ns) * 1e-9;
}

}  // namespace mpiactor::apps
