#include "actor/container/launcher.h"

#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "actor/abi/handles.h"
#include "actor/container/world.h"
#include "actor/shm/kernel.h"

namespace mpiactor {
namespace {

std::atomic<int> connection{-1};
std::atomic<std::int64_t> next_look_ms{0};
std::atomic<bool> was_told_to_end{false};

std::int64_t coarse_ms() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1000000;
}

bool is_closed(int descriptor) {
  pollfd entry{descriptor, POLLRDHUP, 0};
  return kernel::poll_now(entry) > 0 && (entry.revents & (POLLHUP | POLLRDHUP | POLLERR)) != 0;
}

// -1 where there is none, or where what is said to be one cannot be.
int connection_of_environment() {
  const char* const text = std::getenv(kLauncherConnection);
  if (!text) return -1;
  int descriptor = -1;
  const char* const end = text + std::strlen(text);
  const auto parsed = std::from_chars(text, end, descriptor);
  if (parsed.ec != std::errc() || parsed.ptr != end || descriptor < 0) return -1;
  struct stat facts;
  if (fstat(descriptor, &facts) != 0 || !S_ISSOCK(facts.st_mode)) return -1;
  return is_closed(descriptor) ? -1 : descriptor;
}

}  // namespace

void begin_watching_launcher() { connection = connection_of_environment(); }

void end_watching_launcher() { connection = -1; }

void look_for_launcher() {
  constexpr std::int64_t kBetweenLooksMs = 1000;
  const int descriptor = connection.load(std::memory_order_relaxed);
  if (descriptor < 0) return;
  std::int64_t due = next_look_ms.load(std::memory_order_relaxed);
  const std::int64_t now = coarse_ms();
  // One of several threads looks.
  if (now < due || !next_look_ms.compare_exchange_strong(due, now + kBetweenLooksMs)) return;
  if (!is_closed(descriptor)) return;
  // A program may have something to do at SIGTERM; one that stays nevertheless has had a second.
  if (was_told_to_end.exchange(true)) _exit(1);
  signal(SIGPIPE, SIG_IGN);  // standard error often went through the launcher
  say(Verbosity::kWarn,
      "rank " + std::to_string(world()->rank) + ": the launcher has gone; this rank ends");
  kill(getpid(), SIGTERM);
}

}  // namespace mpiactor
