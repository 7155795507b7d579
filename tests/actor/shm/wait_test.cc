#include "actor/shm/wait.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <thread>

namespace mpiactor::shm {
namespace {

// What a waiter is given to call.
int progress_calls = 0;
std::uint64_t handled = 0;
std::uint64_t handled_by_progress = 0;  // by each call

void count_progress() {
  ++progress_calls;
  handled += handled_by_progress;
}

WaitPolicy policy(bool give_way) {
  progress_calls = 0;
  handled = 0;
  handled_by_progress = 0;
  return {.spin_us = 0, .give_way = give_way, .progress = count_progress, .events = [] {
            return handled;
          }};
}

// Of this thread, so far.
rusage usage() {
  rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage;
}

// Whether this thread has slept since then, but for waiting for a page of a file.
bool has_slept_since(const rusage& before) {
  const rusage now = usage();
  return now.ru_nvcsw != before.ru_nvcsw && now.ru_majflt == before.ru_majflt;
}

class WaiterTest : public testing::TestWithParam<bool> {};

constexpr int kPauses = 320;

// Calls pause() many times; each sleep must have been after a call of progress. Returns how many
// sleeps there were.
template <typename Pause>
int pause_often(Pause pause) {
  int slept = 0;
  for (int i = 0; i < kPauses; ++i) {
    const rusage before = usage();
    const int calls_before = progress_calls;
    pause();
    if (!has_slept_since(before)) continue;
    ++slept;
    EXPECT_EQ(progress_calls, calls_before + 1);
  }
  return slept;
}

TEST_P(WaiterTest, LetsTheLibraryWorkBeforeEveryNap) {
  const WaitPolicy waits = policy(GetParam());
  Waiter waiter(waits);
  EXPECT_GT(pause_often([&] { waiter.pause(); }), 0);
}

TEST_P(WaiterTest, LetsTheLibraryWorkBeforeEverySleepOnAWord) {
  WaitPolicy waits = policy(GetParam());
  waits.longest_sleep_us = 20;
  Waiter waiter(waits);
  WaitWord word;
  EXPECT_GT(pause_often([&] { waiter.pause_on(word, 0); }), 0);
  EXPECT_EQ(word.sleepers.load(), 0u);
}

TEST_P(WaiterTest, StaysAwakeAsLongAsTheLibraryIsBusy) {
  const WaitPolicy waits = policy(GetParam());
  handled_by_progress = 1;
  Waiter waiter(waits);
  WaitWord word;
  EXPECT_EQ(pause_often([&] { waiter.pause(); }), 0);
  EXPECT_EQ(pause_often([&] { waiter.pause_on(word, 0); }), 0);
  // Once it is known to be busy it is let work in every pause.
  EXPECT_GE(progress_calls, kPauses);
  handled_by_progress = 0;
  EXPECT_GT(pause_often([&] { waiter.pause(); }), 0);
}

TEST_P(WaiterTest, StaysAwakeWhereTheCallersOwnLooksBringSomething) {
  const WaitPolicy waits = policy(GetParam());
  Waiter waiter(waits);
  EXPECT_EQ(pause_often([&] {
              ++handled;
              waiter.pause();
            }),
            0);
}

TEST_P(WaiterTest, BeginsAnewWhenSomethingHasComeForward) {
  WaitPolicy waits = policy(GetParam());
  waits.spin_us = 1'000'000;
  Waiter waiter(waits);
  EXPECT_EQ(pause_often([&] {
              waiter.came_forward();
              waiter.pause();
            }),
            0);
}

TEST_P(WaiterTest, DoesNotSleepOnAWordThatHasChanged) {
  const WaitPolicy waits = policy(GetParam());
  Waiter waiter(waits);
  WaitWord word;
  word.publish(1);
  EXPECT_EQ(pause_often([&] { waiter.pause_on(word, 0); }), 0);
}

TEST_P(WaiterTest, GivesTheRankBackInstead) {
  WaitPolicy waits = policy(GetParam());
  waits.give_back = [] { return true; };
  Waiter waiter(waits);
  EXPECT_EQ(pause_often([&] { waiter.pause(); }), 0);
  EXPECT_EQ(progress_calls, 0);
}

TEST_P(WaiterTest, NapsWhereTheRankHasBackgroundCalls) {
  WaitPolicy waits = policy(GetParam());
  waits.longest_sleep_us = 1'000'000'000;
  waits.has_background_calls = [] { return true; };
  Waiter waiter(waits);
  WaitWord word;
  EXPECT_GT(pause_often([&] { waiter.pause_on(word, word.load()); }), 0);
}

TEST_P(WaiterTest, NapsForAWhileWhenTheLibraryHasWorked) {
  WaitPolicy waits = policy(GetParam());
  waits.longest_sleep_us = 1'000'000'000;
  Waiter waiter(waits);
  WaitWord word;
  ++handled;
  int naps = 0;
  while (naps < 40) {
    const rusage before = usage();
    waiter.pause_on(word, word.load());
    naps += has_slept_since(before);
  }
}

TEST_P(WaiterTest, WaitsForAWord) {
  WaitPolicy waits = policy(GetParam());
  waits.events = nullptr;
  WaitWord word;
  std::thread writer([&] {
    for (std::uint64_t i = 1; i <= 100; ++i) word.publish(i);
  });
  EXPECT_EQ(wait_until(word, waits, [](std::uint64_t value) { return value == 100; }), 100u);
  writer.join();
}

TEST_P(WaiterTest, WorksUntilDone) {
  const WaitPolicy waits = policy(GetParam());
  int worked = 0;
  int looks = 0;
  work_until(
      waits, [&] { return worked == 10; },
      [&] { return ++looks % 20 == 0 ? ++worked, true : false; });
  EXPECT_EQ(looks, 200);
}

INSTANTIATE_TEST_SUITE_P(SpinningOrGivingWay, WaiterTest, testing::Bool());

TEST(Waiter, LetsTheLibraryWorkNowAndThenWhileItSpins) {
  WaitPolicy waits = policy(false);
  waits.spin_us = 1'000'000;
  Waiter waiter(waits);
  EXPECT_EQ(pause_often([&] { waiter.pause(); }), 0);
  EXPECT_EQ(progress_calls, kPauses / 64);
}

}  // namespace
}  // namespace mpiactor::shm
