// Waiting, for a word in shared memory or for what must be polled, and waking those who sleep.
//
// A waiter spins a little, then sleeps. A waker pays for a system call only where somebody sleeps.
// While it waits, a rank lets the MPI library work: other ranks may need it (a rendezvous that this
// rank began before the collective, a ring of blocks that it has to pass on). This is done here and
// nowhere else, so that no wait is without it.
#ifndef MPIACTOR_ACTOR_SHM_WAIT_H_
#define MPIACTOR_ACTOR_SHM_WAIT_H_

#include <atomic>
#include <cstdint>

namespace mpiactor::shm {

struct WaitPolicy {
  std::uint32_t spin_us = 100;   // before the first sleep
  bool give_way = false;         // more ranks than cores: yield early instead of spinning
  void (*progress)() = nullptr;  // lets the MPI library work once, see progress.h; may be null
  // Counts what the MPI library has handled in this thread: while it grows, nobody sleeps. May be
  // null.
  std::uint64_t (*events)() = nullptr;
  // Where the waiter is a background call (actor/background): gives the rank back, returns true
  // when resumed. Else false. May be null.
  bool (*give_back)() = nullptr;
  // Whether this rank has background calls to go on with. Others wait for them, and no word wakes
  // it for them, so it naps. May be null.
  bool (*has_background_calls)() = nullptr;
  // At most between two looks at the MPI library, where a word wakes the waiter earlier.
  std::uint32_t longest_sleep_us = 5000;
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

// What a waiter does between two looks at what it waits for: spins or gives way at first, then
// sleeps. It lets the MPI library work now and then while it spins, always before it sleeps, and
// stays awake as long as that handles anything. A background call gives its rank back instead.
class Waiter {
 public:
  explicit Waiter(const WaitPolicy& policy) : policy_(policy), events_(count_events()) {}

  // For what cannot wake us: sleeps are short (10 .. 40 us).
  void pause();
  // For a word whose writer wakes us: `seen` was its value. The longer the wait, the rarer the
  // looks at the MPI library: a sleeping rank costs little. When that has handled anything, sleeps
  // are short for a while: another rank may go on reading this one's memory (MPI_Get).
  void pause_on(WaitWord& word, std::uint64_t seen);
  // What is waited for has come nearer: the next pauses are as the first ones.
  void came_forward();

 private:
  bool is_time_to_sleep();
  bool is_spinning_over();
  std::uint64_t count_events() const { return policy_.events ? policy_.events() : 0; }
  bool has_library_worked();
  void nap();
  void sleep_on(WaitWord& word, std::uint64_t seen);

  static constexpr std::uint32_t kFirstSleepUs = 200;

  const WaitPolicy& policy_;
  std::uint64_t events_;  // when last looked at
  bool library_is_busy_ = false;
  bool library_has_worked_ = false;  // since the wait began
  std::uint32_t looks_ = 0;
  std::uint64_t start_ns_ = 0;
  std::uint32_t naps_ = 0;
  std::uint32_t sleep_us_ = kFirstSleepUs;
};

// Returns the first value for which `done(value)`.
template <typename Done>
std::uint64_t wait_until(WaitWord& word, const WaitPolicy& policy, Done done) {
  // Mostly it comes at once.
  std::uint64_t value = word.load();
  for (int looks = policy.give_way ? 0 : 16; looks > 0 && !done(value); --looks) {
    cpu_relax();
    value = word.load();
  }
  if (done(value)) return value;
  Waiter waiter(policy);
  do {
    waiter.pause_on(word, value);
    value = word.load();
  } while (!done(value));
  return value;
}

// Calls work(), which returns whether anything came forward, until done().
template <typename Done, typename Work>
void work_until(const WaitPolicy& policy, Done done, Work work) {
  if (done()) return;
  Waiter waiter(policy);
  do {
    if (work()) {
      waiter.came_forward();
    } else {
      waiter.pause();
    }
  } while (!done());
}

}  // namespace mpiactor::shm

#endif  // MPIACTOR_ACTOR_SHM_WAIT_H_
