// Waiting for a word in shared memory, and waking those who sleep on it.
//
// A waiter spins a little, then sleeps on a futex. A waker pays for a system call only where
// somebody sleeps. While it waits, a rank lets the MPI library make progress: other ranks may need
// it (a rendezvous that this rank began before the collective).
#ifndef MPIACTOR_ACTOR_SHM_WAIT_H_
#define MPIACTOR_ACTOR_SHM_WAIT_H_

#include <atomic>
#include <cstdint>

namespace mpiactor::shm {

struct WaitPolicy {
  std::uint32_t spin_us = 100;   // before the first sleep
  bool give_way = false;         // more ranks than cores: yield early instead of spinning
  bool (*progress)() = nullptr;  // lets the MPI library work, see progress.h; may be null
  // Where the waiter is a background call (actor/background): gives the rank back, returns true when
  // resumed. Else false. May be null.
  bool (*give_back)() = nullptr;
};

// A 64-bit word that one side writes and others wait on. Lives in shared memory.
struct WaitWord {
  std::atomic<std::uint64_t> value{0};
  std::atomic<std::uint32_t> sleepers{0};

  // Publishes everything written before; the single writer calls it. `wake`: whether sleepers are
  // woken now; else they see the value when the next publication wakes them.
  void publish(std::uint64_t new_value, bool wake = true);
  // Wakes those who sleep, after a change of the value.
  void wake();
  std::uint64_t load() const { return value.load(std::memory_order_acquire); }
};

inline void cpu_relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

std::uint64_t monotonic_ns();

// What a waiter does between two looks: spins, then gives way, then asks for sleep. Used by all
// waits, also by those that poll the network and have no word to sleep on.
class Backoff {
 public:
  explicit Backoff(const WaitPolicy& policy) : policy_(policy) {}

  // Spins or yields; true when it is time to sleep instead.
  bool spin();
  // Sleeps for a growing time (10 .. 40 us): for polling what cannot wake us.
  void nap();
  void reset() {
    looks_ = 0;
    start_ns_ = 0;
    naps_ = 0;
  }

 private:
  const WaitPolicy& policy_;
  std::uint32_t looks_ = 0;
  std::uint32_t naps_ = 0;
  std::uint64_t start_ns_ = 0;
};

// Sleeps until `word` differs from `seen` in its low 32 bits or `timeout_us` has passed.
void sleep_on(WaitWord& word, std::uint64_t seen, std::uint32_t timeout_us);

// Returns the first value for which `done(value)`.
template <typename Done>
std::uint64_t wait_until(WaitWord& word, const WaitPolicy& policy, Done done) {
  std::uint64_t value = word.load();
  if (done(value)) return value;
  Backoff backoff(policy);
  // The longer the wait, the rarer the looks at the MPI library: a sleeping rank costs little.
  constexpr std::uint32_t kFirstSleepUs = 200;
  constexpr std::uint32_t kLongestSleepUs = 5000;
  std::uint32_t timeout_us = kFirstSleepUs;
  for (;;) {
    const bool sleep = backoff.spin();  // background calls never sleep
    value = word.load();
    if (done(value)) return value;
    if (!sleep) continue;
    const bool busy = policy.progress && policy.progress();
    value = word.load();
    if (done(value)) return value;
    if (busy) {  // the MPI library is in the middle of something that others may wait for
      timeout_us = kFirstSleepUs;
      continue;
    }
    sleep_on(word, value, timeout_us);
    timeout_us = timeout_us * 2 < kLongestSleepUs ? timeout_us * 2 : kLongestSleepUs;
  }
}

}  // namespace mpiactor::shm

#endif  // MPIACTOR_ACTOR_SHM_WAIT_H_
