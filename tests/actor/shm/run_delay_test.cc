#include "actor/shm/run_delay.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <time.h>

#include <chrono>
#include <fstream>
#include <thread>

namespace mpiactor::shm {
namespace {

using Clock = std::chrono::steady_clock;
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

// The system is asked now.
Clock::time_point asked_now() {
  const Clock::time_point begin = Clock::now();
  run_delay_since(begin);
  return begin;
}

// Two threads do this on one core.
template <class Work>
void share_core(const Work& work) {
  const int core = sched_getcpu();
  const auto run = [&](int place) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    work(place);
  };
  std::thread first(run, 0);
  std::thread second(run, 1);
  first.join();
  second.join();
}

TEST(RunDelay, IsWhatAnotherThreadHasTakenOfTheCore) {
  nanoseconds delays[2] = {};
  nanoseconds later[2] = {};
  share_core([&](int place) {
    const Clock::time_point begin = asked_now();
    compute(milliseconds(200));
    delays[place] = run_delay_since(begin);
    later[place] = run_delay_since(begin);
  });
  if (std::ifstream("/proc/thread-self/schedstat")) {
    // Whoever is done last has waited for all that the other one ran while both did.
    EXPECT_GT(delays[0] + delays[1], milliseconds(100));
    EXPECT_LT(later[0] + later[1], delays[0] + delays[1]) << "from before it was asked";
  } else {
    EXPECT_EQ(delays[0] + delays[1], nanoseconds(0)) << "the system does not say";
  }
}

// What was waited long before is not taken off a short time.
TEST(RunDelay, OfAPartOfTheTimeIsTheSameShareAsOfAll) {
  nanoseconds delays[2] = {};
  nanoseconds times[2] = {};
  share_core([&](int place) {
    asked_now();
    compute(milliseconds(200));
    const Clock::time_point begin = Clock::now();
    std::this_thread::sleep_for(milliseconds(50));
    delays[place] = run_delay_since(begin);
    times[place] = Clock::now() - begin;
  });
  for (int place = 0; place < 2; ++place) {
    EXPECT_GE(delays[place], nanoseconds(0));
    EXPECT_LT(delays[place], times[place]);
  }
  if (std::ifstream("/proc/thread-self/schedstat")) {
    EXPECT_GT(delays[0] + delays[1], nanoseconds(0));
  }
}

TEST(RunDelay, OfNoTimeIsNone) {
  EXPECT_EQ(run_delay_since(Clock::now() + std::chrono::hours(1)), nanoseconds(0));
}

TEST(RunDelay, SleepIsNone) {
  const Clock::time_point begin = asked_now();
  std::this_thread::sleep_for(milliseconds(200));
  EXPECT_LT(run_delay_since(begin), (Clock::now() - begin) / 2);
}

}  // namespace
}  // namespace mpiactor::shm
