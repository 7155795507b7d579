#include "actor/container/root_pace.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace mpiactor {
namespace {

constexpr std::int64_t kMost = RootPace::kMostCpuUs;

// Calls that take no time; before each of them, so much work and so many sleeps.
struct Caller {
  RootPace pace;
  RootPace::Work done{.cpu_us = 1000, .sleeps = 5};

  bool call(std::int64_t cpu_us, std::int64_t sleeps) {
    done.cpu_us += cpu_us;
    done.sleeps += sleeps;
    pace.enter(done);
    pace.leave(done);
    return pace.is_stream();
  }
};

TEST(RootPace, ThirdOfQuickCallsIsStream) {
  Caller caller;
  EXPECT_FALSE(caller.call(0, 0));
  EXPECT_FALSE(caller.call(kMost, 0));
  EXPECT_TRUE(caller.call(kMost, 0));
  EXPECT_TRUE(caller.call(0, 0));
}

TEST(RootPace, WorkOrSleepEndsStream) {
  Caller caller;
  for (int i = 0; i < 3; ++i) caller.call(0, 0);
  EXPECT_FALSE(caller.call(kMost + 1, 0));
  EXPECT_FALSE(caller.call(0, 0));
  EXPECT_TRUE(caller.call(0, 0));
  EXPECT_FALSE(caller.call(0, 1));
  EXPECT_FALSE(caller.call(0, 0));
  EXPECT_TRUE(caller.call(0, 0));
}

TEST(RootPace, TimeInCallDoesNotCount) {
  RootPace pace;
  RootPace::Work work;
  for (int i = 0; i < 3; ++i) {
    pace.enter(work);
    work.cpu_us += 10 * kMost;
    ++work.sleeps;
    pace.leave(work);
  }
  EXPECT_TRUE(pace.is_stream());
}

TEST(RootPace, SeesThreadsWorkAndSleep) {
  const RootPace::Work before = RootPace::of_this_thread();
  usleep(1000);
  const RootPace::Work slept = RootPace::of_this_thread();
  EXPECT_GT(slept.sleeps, before.sleeps);
  RootPace::Work worked = slept;
  while (worked.cpu_us - slept.cpu_us <= kMost) worked = RootPace::of_this_thread();
  EXPECT_GT(worked.cpu_us, slept.cpu_us + kMost);
}

}  // namespace
}  // namespace mpiactor
