#include "actor/shm/run_delay.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace mpiactor::shm {
namespace {

using Clock = std::chrono::steady_clock;

// The second number is the nanoseconds that the thread has waited on a run queue (the first, those
// that it ran; Documentation/scheduler/sched-stats.rst of Linux). Nothing: not known.
std::optional<std::int64_t> run_delay_ns() {
  const int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  char text[64];
  const ssize_t length = read(file, text, sizeof text);
  close(file);
  if (length <= 0) return {};
  std::int64_t ran = 0;
  std::int64_t waited = 0;
  const auto [end, error] = std::from_chars(text, text + length, ran);
  if (error != std::errc() || end == text + length) return {};
  if (std::from_chars(end + 1, text + length, waited).ec != std::errc()) return {};
  return waited;
}

}  // namespace

std::chrono::nanoseconds run_delay_since(Clock::time_point begin) {
  struct Asked {
    std::int64_t delay_ns = 0;
    Clock::time_point at;
  };
  thread_local Asked asked;
  const std::optional<std::int64_t> delay = run_delay_ns();
  if (!delay) return {};
  const Clock::time_point now = Clock::now();
  // A child process has its parent's memory, but not its delay.
  const auto waited = static_cast<double>(std::max<std::int64_t>(*delay - asked.delay_ns, 0));
  const std::chrono::duration<double> all = now - asked.at;
  const std::chrono::duration<double> share = now - std::max(begin, asked.at);
  asked = {*delay, now};
  if (share <= share.zero()) return {};
  return std::chrono::nanoseconds(static_cast<std::int64_t>(waited * (share / all)));
}

}  // namespace mpiactor::shm
