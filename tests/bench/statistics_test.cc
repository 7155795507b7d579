#include "bench/statistics.h"

#include <gtest/gtest.h>

namespace mpiactor::bench {
namespace {

TEST(Percentile, InterpolatesBetweenNeighbours) {
  const std::vector<double> sorted = {10, 20, 30, 40, 50};
  EXPECT_DOUBLE_EQ(percentile(sorted, 0), 10);
  EXPECT_DOUBLE_EQ(percentile(sorted, 50), 30);
  EXPECT_DOUBLE_EQ(percentile(sorted, 100), 50);
  EXPECT_DOUBLE_EQ(percentile(sorted, 95), 48);    // position 3.8
  EXPECT_DOUBLE_EQ(percentile(sorted, 12.5), 15);  // position 0.5
  EXPECT_DOUBLE_EQ(percentile({7}, 95), 7);
}

TEST(Describe, GivesMeanPercentilesAndMaximumOfUnsortedSamples) {
  const Distribution result = describe({40, 10, 30, 20});
  EXPECT_DOUBLE_EQ(result.mean, 25);
  EXPECT_DOUBLE_EQ(result.p50, 25);
  EXPECT_DOUBLE_EQ(result.p95, 38.5);  // position 2.85
  EXPECT_DOUBLE_EQ(result.max, 40);
}

TEST(Describe, OfNothingIsZero) {
  const Distribution result = describe({});
  EXPECT_EQ(result.mean, 0);
  EXPECT_EQ(result.max, 0);
}

TEST(Describe, KeepsTheSignOfAMaximumBelowZero) { EXPECT_EQ(describe({-3, -1}).max, -1); }

}  // namespace
}  // namespace mpiactor::bench
