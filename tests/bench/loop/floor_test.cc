#include "bench/loop/floor.h"

#include <gtest/gtest.h>

#include <vector>

#include "apps/common/noise.h"

namespace mpiactor::bench {
namespace {

TEST(RootOf, ChangesEveryFewStepsAndGoesRound) {
  const LoopShape shape{.ranks = 3, .root_every = 2};
  std::vector<int> roots;
  for (std::int64_t step = 0; step < 8; ++step) roots.push_back(root_of(shape, step));
  EXPECT_EQ(roots, (std::vector<int>{0, 0, 1, 1, 2, 2, 0, 0}));
}

TEST(Floor, IsNothingWithoutNoise) {
  const apps::BroadcastFloor floor = play_floor(
      {.ranks = 4, .warmup = 1, .steps = 5, .step_ns = 8000}, [](int, std::int64_t) { return 0; });
  EXPECT_EQ(floor.in_call_us, 0.0);
  EXPECT_EQ(floor.whole_us, 40.0);
}

// By hand, in us; a step takes 10, and noise:
//          step 0, root 0    step 1, root 0   step 2, root 1
// rank 0   at 15             at 25            at 35, waits 3
// rank 1   at 10, waits 5    at 28            at 38
TEST(Floor, IsTheWaitForRootsThatComeLater) {
  const std::int64_t noise_us[2][3] = {{5, 0, 0}, {0, 3, 0}};
  const apps::BroadcastFloor floor =
      play_floor({.ranks = 2, .warmup = 0, .steps = 3, .step_ns = 10'000, .root_every = 2},
                 [&](int rank, std::int64_t step) { return 1000 * noise_us[rank][step]; });
  EXPECT_DOUBLE_EQ(floor.in_call_us, (5.0 + 3.0) / 6.0);
  EXPECT_DOUBLE_EQ(floor.whole_us, 38.0);
}

TEST(Floor, WarmupStepsMoveRanksButDoNotCount) {
  const std::int64_t noise_us[2][3] = {{5, 0, 0}, {0, 3, 0}};
  const apps::BroadcastFloor floor =
      play_floor({.ranks = 2, .warmup = 2, .steps = 1, .step_ns = 10'000, .root_every = 2},
                 [&](int rank, std::int64_t step) { return 1000 * noise_us[rank][step]; });
  EXPECT_DOUBLE_EQ(floor.in_call_us, 3.0 / 2.0);
  EXPECT_DOUBLE_EQ(floor.whole_us, 38.0 - 25.0);
}

TEST(Floor, OfPersistentNoiseGrowsWithItsScale) {
  const auto in_call_us = [](std::int64_t scale_ns) {
    const apps::Noise noise(apps::NoiseKind::kPersistent, scale_ns, 3);
    return play_floor({.ranks = 8, .steps = 200, .step_ns = 8'000'000, .root_every = 10},
                      [&](int rank, std::int64_t step) { return noise.draw_ns(rank, step); })
        .in_call_us;
  };
  const double of_one_ms = in_call_us(1'000'000);
  EXPECT_GT(of_one_ms, 10.0);
  EXPECT_NEAR(in_call_us(3'000'000), 3.0 * of_one_ms, 0.01);
}

}  // namespace
}  // namespace mpiactor::bench
