#include "actor/shm/run_delay.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace mpiactor::shm {
namespace {

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

std::chrono::nanoseconds run_delay_since_asked() {
  thread_local std::int64_t asked = 0;
  const std::optional<std::int64_t> now = run_delay_ns();
  if (!now) return {};
  // A child process has its parent's memory, but not its delay.
  const std::int64_t since = std::max<std::int64_t>(*now - asked, 0);
  asked = *now;
  return std::chrono::nanoseconds(since);
}

}  // namespace mpiactor::shm
