#include "actor/shm/run_delay.h"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>

namespace mpiactor::shm {
namespace {

// The second number is the nanoseconds that the thread has waited on a run queue (the first, those
// that it ran; Documentation/scheduler/sched-stats.rst of Linux). 0: not known.
std::int64_t run_delay_ns() {
  const int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[64];
  const ssize_t length = read(file, text, sizeof text);
  close(file);
  if (length <= 0) return 0;
  std::int64_t ran = 0;
  std::int64_t waited = 0;
  const auto [end, error] = std::from_chars(text, text + length, ran);
  if (error != std::errc() || end == text + length) return 0;
  std::from_chars(end + 1, text + length, waited);
  return waited;
}

}  // namespace

std::chrono::nanoseconds run_delay_since_asked() {
  thread_local std::int64_t asked = 0;
  const std::int64_t before = asked;
  asked = run_delay_ns();
  return std::chrono::nanoseconds(asked - before);
}

}  // namespace mpiactor::shm
