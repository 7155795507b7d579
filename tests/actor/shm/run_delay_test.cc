#include "actor/shm/run_delay.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <time.h>

#include <chrono>
#include <fstream>
#include <thread>

namespace mpiactor::shm {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// Of this thread.
nanoseconds used() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

void compute(nanoseconds time) {
  for (const nanoseconds end = used() + time; used() < end;) continue;
}

TEST(RunDelay, IsWhatAnotherThreadHasTakenOfTheCoreSinceItWasAsked) {
  const int core = sched_getcpu();
  nanoseconds delays[2] = {};
  nanoseconds later[2] = {};
  const auto share_core = [&](int place) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    run_delay_since_asked();
    compute(milliseconds(200));
    delays[place] = run_delay_since_asked();
    later[place] = run_delay_since_asked();
  };
  std::thread first(share_core, 0);
  std::thread second(share_core, 1);
  first.join();
  second.join();
  if (std::ifstream("/proc/thread-self/schedstat")) {
    // Whoever is done last has waited for all that the other one ran while both did.
    EXPECT_GT(delays[0] + delays[1], milliseconds(100));
    EXPECT_LT(later[0] + later[1], delays[0] + delays[1]);
  } else {
    EXPECT_EQ(delays[0] + delays[1], nanoseconds(0)) << "the system does not say";
  }
}

TEST(RunDelay, SleepIsNone) {
  run_delay_since_asked();
  const auto begin = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(milliseconds(200));
  EXPECT_LT(run_delay_since_asked(), (std::chrono::steady_clock::now() - begin) / 2);
}

}  // namespace
}  // namespace mpiactor::shm
