// Steps that are slept, and the samples that their lengths are drawn from.
#include "apps/common/asleep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <stdexcept>

#include "apps/common/arrivals.h"

namespace mpiactor::apps {
namespace {

TEST(Sleeper, StepsLastWhatWasAskedAndKeepNoCore) {
  constexpr int kSteps = 20;
  constexpr std::int64_t kStepNs = 5'000'000;
  Sleeper sleeper;
  std::int64_t shortest_ns = INT64_MAX;
  const std::int64_t cpu_begin_ns = thread_cpu_ns();
  for (int i = 0; i < kSteps; ++i) {
    const std::int64_t begin_ns = monotonic_ns();
    sleeper.step(begin_ns, kStepNs);
    const std::int64_t lasted_ns = monotonic_ns() - begin_ns;
    EXPECT_GT(lasted_ns, kStepNs * 95 / 100);  // waking up was allowed for
    shortest_ns = std::min(shortest_ns, lasted_ns);
  }
  EXPECT_LT(shortest_ns, kStepNs * 14 / 10);  // others may be later on a busy machine
  EXPECT_LT(thread_cpu_ns() - cpu_begin_ns, kSteps * kStepNs / 5);
  EXPECT_DOUBLE_EQ(sleeper.asked_s(), kSteps * 5e-3);
  EXPECT_GT(sleeper.spent_s(), 0.95 * sleeper.asked_s());
}

TEST(Sleeper, ShortStepsAreNotCutOff) {
  Sleeper sleeper;
  for (int i = 0; i < 100; ++i) {
    const std::int64_t begin_ns = monotonic_ns();
    sleeper.step(begin_ns, 4000.0);
    EXPECT_GE(monotonic_ns() - begin_ns, 4000);
  }
}

TEST(Sleeper, NoTimeIsAddedToWhatHasPassed) {
  Sleeper sleeper;
  std::int64_t shortest_ns = INT64_MAX;
  for (int i = 0; i < 20; ++i) {
    const std::int64_t now_ns = monotonic_ns();
    sleeper.step(now_ns - 10'000'000, 9e6);
    shortest_ns = std::min(shortest_ns, monotonic_ns() - now_ns);
  }
  EXPECT_LT(shortest_ns, 1'000'000);
}

TEST(ThreadCpu, CountsWorkAndNotSleep) {
  const std::int64_t begin_ns = thread_cpu_ns();
  while (thread_cpu_ns() - begin_ns < 2'000'000) {
  }
  const std::int64_t worked_ns = thread_cpu_ns();
  Sleeper().step(monotonic_ns(), 20e6);
  EXPECT_LT(thread_cpu_ns() - worked_ns, 10'000'000);
}

TEST(UnitCosts, DrawsEachSampleAndNothingElse) {
  UnitCosts costs("row");
  costs.add(100, 10);
  costs.add(300, 10);
  costs.add(900, 20);
  EXPECT_DOUBLE_EQ(costs.mean_ns(), (10.0 + 30.0 + 45.0) / 3.0);
  std::mt19937_64 random = step_random(1, 0);
  std::multiset<double> drawn;
  for (int i = 0; i < 3000; ++i) drawn.insert(costs.draw(2, random));
  EXPECT_EQ(std::set<double>(drawn.begin(), drawn.end()), (std::set<double>{20.0, 60.0, 90.0}));
  for (const double value : {20.0, 60.0, 90.0}) EXPECT_GT(drawn.count(value), 850u) << value;
}

TEST(UnitCosts, WithoutSamplesThereMayBeNoUnits) {
  const UnitCosts costs("row");
  std::mt19937_64 random = step_random(1, 0);
  EXPECT_EQ(costs.draw(0, random), 0.0);
  EXPECT_THROW(costs.draw(1, random), std::logic_error);
}

TEST(StepRandom, SeedsAndRanksTell) {
  EXPECT_EQ(step_random(7, 3)(), step_random(7, 3)());
  EXPECT_NE(step_random(7, 3)(), step_random(7, 4)());
  EXPECT_NE(step_random(7, 3)(), step_random(8, 3)());
  EXPECT_NE(step_random(7, 3)(), step_random(7 + (std::uint64_t{1} << 32), 3)());
}

}  // namespace
}  // namespace mpiactor::apps
