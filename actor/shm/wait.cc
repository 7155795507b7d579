#include "actor/shm/wait.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <climits>

#include "actor/shm/kernel.h"

namespace mpiactor::shm {
namespace {

static_assert(std::endian::native == std::endian::little, "the futex word is the low half");
static_assert(sizeof(std::atomic<std::uint64_t>) == 8);

std::uint32_t* futex_word(WaitWord& word) { return reinterpret_cast<std::uint32_t*>(&word.value); }

timespec microseconds(std::uint32_t us) {
  return {static_cast<time_t>(us / 1000000), static_cast<long>(us % 1000000) * 1000};
}

}  // namespace

std::uint64_t monotonic_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

void WaitWord::publish(std::uint64_t new_value, bool wake) {
  // Release: readers that see the value see the bytes written before it.
  value.store(new_value, std::memory_order_release);
  if (wake) this->wake();
}

void WaitWord::wake() {
  // A sleeper counts itself, then looks at the value once more (both sequentially consistent).
  // This fence orders our store before our look at the count, so one of the two sees the other.
#if defined(__SANITIZE_THREAD__)
  // The sanitizer does not know fences; a read-modify-write orders the same.
  const bool anybody = sleepers.fetch_add(0, std::memory_order_seq_cst) != 0;
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const bool anybody = sleepers.load(std::memory_order_relaxed) != 0;
#endif
  if (anybody) {
    syscall(SYS_futex, futex_word(*this), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  }
}

namespace {

// Sleeps really as short as asked for: the kernel adds 50 us to a thread's sleeps by default. What
// the application has chosen for its own sleeps is put back.
void precise_sleep(std::uint32_t us) {
  const int usual_slack_ns = kernel::prctl(PR_GET_TIMERSLACK, 0UL);
  kernel::prctl(PR_SET_TIMERSLACK, 1UL);
  const timespec duration = microseconds(us);
  kernel::nanosleep(duration);
  if (usual_slack_ns > 0) {
    kernel::prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(usual_slack_ns));
  }
}

}  // namespace

void Waiter::pause() {
  if (is_time_to_sleep()) nap();
}

void Waiter::pause_on(WaitWord& word, std::uint64_t seen) {
  if (!is_time_to_sleep()) return;
  constexpr std::uint32_t kNapsAfterWork = 64;  // 2 ms
  if ((library_has_worked_ && naps_ < kNapsAfterWork) ||
      (policy_.has_background_calls && policy_.has_background_calls())) {
    nap();
  } else {
    sleep_on(word, seen);
  }
}

void Waiter::came_forward() {
  looks_ = 0;
  start_ns_ = 0;
  naps_ = 0;
  sleep_us_ = kFirstSleepUs;
}

bool Waiter::is_time_to_sleep() {
  constexpr std::uint32_t kLooksBetweenProgress = 64;
  if (policy_.give_back && policy_.give_back()) return false;
  if (has_library_worked()) return false;  // in the caller's own calls
  ++looks_;
  const bool is_over = is_spinning_over();
  if (policy_.progress && (is_over || library_is_busy_ || looks_ % kLooksBetweenProgress == 0)) {
    policy_.progress();
    library_is_busy_ = has_library_worked();
    if (library_is_busy_) return false;
  }
  return is_over;
}

bool Waiter::is_spinning_over() {
  constexpr std::uint32_t kLooksBeforeClock = 64;
  constexpr std::uint32_t kYields = 16;  // a message of another process may come meanwhile
  if (policy_.give_way) {
    if (looks_ > kYields) return true;
    sched_yield();
    return false;
  }
  cpu_relax();
  if (looks_ < kLooksBeforeClock) return false;
  const std::uint64_t now = monotonic_ns();
  if (start_ns_ == 0) start_ns_ = now;
  return now - start_ns_ > std::uint64_t{policy_.spin_us} * 1000;
}

bool Waiter::has_library_worked() {
  const std::uint64_t events = count_events();
  if (events == events_) return false;
  events_ = events;
  library_has_worked_ = true;
  came_forward();
  return true;
}

void Waiter::nap() {
  constexpr std::uint32_t kShortestUs = 10;
  constexpr std::uint32_t kNapsOfALength = 8;
  constexpr std::uint32_t kMostDoublings = 2;
  precise_sleep(kShortestUs << std::min(naps_ / kNapsOfALength, kMostDoublings));
  ++naps_;
}

// Until `word` differs from `seen` in its low 32 bits, or some time has passed.
void Waiter::sleep_on(WaitWord& word, std::uint64_t seen) {
  word.sleepers.fetch_add(1, std::memory_order_seq_cst);
  if (word.value.load(std::memory_order_seq_cst) == seen) {
    const timespec timeout = microseconds(std::min(sleep_us_, policy_.longest_sleep_us));
    // Every outcome (woken, changed, timed out, interrupted) means: look again.
    syscall(SYS_futex, futex_word(word), FUTEX_WAIT, static_cast<std::uint32_t>(seen), &timeout,
            nullptr, 0);
  }
  word.sleepers.fetch_sub(1, std::memory_order_relaxed);
  sleep_us_ = std::min(2 * sleep_us_, policy_.longest_sleep_us);
}

}  // namespace mpiactor::shm
