#include "apps/common/noise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace mpiactor::apps {
namespace {

constexpr std::int64_t kScaleNs = 3'000'000;
constexpr int kRanks = 16;
constexpr std::int64_t kSteps = 5'000;

// Of all ranks, step by step.
std::vector<std::int64_t> draws(const Noise& noise) {
  std::vector<std::int64_t> all;
  for (std::int64_t step = 0; step < kSteps; ++step) {
    for (int rank = 0; rank < kRanks; ++rank) all.push_back(noise.draw_ns(rank, step));
  }
  return all;
}

double mean(const std::vector<std::int64_t>& values) {
  double sum = 0.0;
  for (const std::int64_t value : values) sum += static_cast<double>(value);
  return sum / static_cast<double>(values.size());
}

std::int64_t largest(const std::vector<std::int64_t>& values) {
  return *std::max_element(values.begin(), values.end());
}

class AnyNoise : public ::testing::TestWithParam<NoiseKind> {};

TEST_P(AnyNoise, EqualSeedsGiveEqualDrawsAndOthersDoNot) {
  const auto first = draws({GetParam(), kScaleNs, 7});
  EXPECT_EQ(first, draws({GetParam(), kScaleNs, 7}));
  EXPECT_NE(first, draws({GetParam(), kScaleNs, 8}));
}

TEST_P(AnyNoise, ADrawDependsOnNothingDrawnBefore) {
  const Noise noise(GetParam(), kScaleNs, 7);
  const std::int64_t late = noise.draw_ns(3, 4321);
  draws(noise);
  EXPECT_EQ(noise.draw_ns(3, 4321), late);
}

TEST_P(AnyNoise, NoScaleIsNoNoise) { EXPECT_EQ(largest(draws({GetParam(), 0, 7})), 0); }

TEST_P(AnyNoise, IsReadBackFromItsName) {
  EXPECT_EQ(parse_noise(noise_name(GetParam())), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Kinds, AnyNoise,
                         ::testing::Values(NoiseKind::kIndependent, NoiseKind::kPersistent,
                                           NoiseKind::kRare),
                         [](const auto& tested) { return std::string(noise_name(tested.param)); });

TEST(IndependentNoise, IsUniformOverRanksAndSteps) {
  const auto all = draws({NoiseKind::kIndependent, kScaleNs, 1});
  // 80,000 draws: the mean of all has a standard deviation of 0.001 K.
  EXPECT_NEAR(mean(all), 0.5 * kScaleNs, 0.012 * kScaleNs);
  EXPECT_LT(largest(all), kScaleNs);
  EXPECT_GT(largest(all), 0.999 * kScaleNs);
  EXPECT_EQ(std::count_if(all.begin(), all.end(), [](auto ns) { return ns < 0; }), 0);
  const auto low = std::count_if(all.begin(), all.end(), [](auto ns) { return ns < kScaleNs / 4; });
  EXPECT_NEAR(static_cast<double>(low) / static_cast<double>(all.size()), 0.25, 0.01);
}

TEST(IndependentNoise, SuccessiveStepsAndNeighboursAreNotRelated) {
  const Noise noise(NoiseKind::kIndependent, kScaleNs, 1);
  int both_late = 0;
  int neighbours_late = 0;
  const auto late = [&](int rank, std::int64_t step) {
    return noise.draw_ns(rank, step) > kScaleNs / 2;
  };
  for (std::int64_t step = 0; step < kSteps; ++step) {
    both_late += late(0, step) && late(0, step + 1);
    neighbours_late += late(0, step) && late(1, step);
  }
  EXPECT_NEAR(both_late, kSteps / 4, 0.04 * kSteps);
  EXPECT_NEAR(neighbours_late, kSteps / 4, 0.04 * kSteps);
}

TEST(PersistentNoise, IsARanksOwnShareInEveryStep) {
  const Noise noise(NoiseKind::kPersistent, kScaleNs, 1);
  std::set<std::int64_t> shares;
  for (int rank = 0; rank < 2000; ++rank) {
    const std::int64_t share_ns = noise.draw_ns(rank, 0);
    EXPECT_EQ(noise.draw_ns(rank, 1), share_ns);
    EXPECT_EQ(noise.draw_ns(rank, kSteps), share_ns);
    shares.insert(share_ns);
  }
  EXPECT_GT(shares.size(), 1990u);
  EXPECT_NEAR(mean({shares.begin(), shares.end()}), 0.5 * kScaleNs, 0.03 * kScaleNs);
  EXPECT_LT(*shares.rbegin(), kScaleNs);
}

TEST(RareNoise, HitsOneStepInAHundredByUpToAHundredTimesTheScale) {
  const auto all = draws({NoiseKind::kRare, kScaleNs, 1});
  const auto hit = std::count_if(all.begin(), all.end(), [](auto ns) { return ns > 0; });
  const double share = static_cast<double>(hit) / static_cast<double>(all.size());
  EXPECT_NEAR(share, 1.0 / kRareSteps, 0.002);
  EXPECT_LT(largest(all), kRareSteps * kScaleNs);
  EXPECT_GT(largest(all), 0.9 * kRareSteps * kScaleNs);
  EXPECT_NEAR(mean(all), 0.5 * kScaleNs, 0.1 * kScaleNs);
}

TEST(NoiseNames, WrongOnesAreNamedWithThoseThatAreAllowed) {
  try {
    parse_noise("loud");
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "'loud' is no kind of noise: choose one of independent, persistent, rare");
  }
}

}  // namespace
}  // namespace mpiactor::apps
