#include "bench/loop/loop_figures.h"

#include <gtest/gtest.h>

namespace mpiactor::bench {
namespace {

// Two calls of three ranks, in ns.
const std::vector<CallTimes> kCalls = {
    // The root, rank 0, comes last: of their 3,000 and 2,000 in the call the others had to wait
    // 2,000 and 1,000.
    {.root = 0, .arrival_ns = {3'000, 1'000, 2'000}, .exit_ns = {3'500, 4'000, 4'000}},
    // The root, rank 1, is first; all is excess.
    {.root = 1, .arrival_ns = {12'000, 10'000, 11'000}, .exit_ns = {16'000, 11'000, 13'000}},
};

TEST(LoopFigures, AreMeansOverRanksAndCalls) {
  const LoopFigures figures = figures_of(kCalls, 500, {.in_call_us = 0.75, .whole_us = 14.0});
  EXPECT_DOUBLE_EQ(figures.in_call_us, (0.5 + 3.0 + 2.0 + 4.0 + 1.0 + 2.0) / 6.0);
  EXPECT_DOUBLE_EQ(figures.floor_us, 0.75);
  EXPECT_DOUBLE_EQ(figures.net_us, figures.in_call_us - 0.75);
  EXPECT_DOUBLE_EQ(figures.others_excess_us, (1.0 + 1.0 + 4.0 + 2.0) / 4.0);
  EXPECT_DOUBLE_EQ(figures.root_in_call_us, (0.5 + 1.0) / 2.0);
  EXPECT_DOUBLE_EQ(figures.excess_us, (0.5 + 1.0 + 1.0 + 4.0 + 1.0 + 2.0) / 6.0);
  EXPECT_DOUBLE_EQ(figures.spread_us, 2.0);
  EXPECT_DOUBLE_EQ(figures.whole_us, 15.5);
  EXPECT_DOUBLE_EQ(figures.floor_whole_us, 14.0);
}

TEST(LoopFigures, OfOneRankHaveNoOthers) {
  const LoopFigures figures =
      figures_of({{.root = 0, .arrival_ns = {1'000}, .exit_ns = {3'000}}}, 0, {});
  EXPECT_DOUBLE_EQ(figures.excess_us, 2.0);
  EXPECT_DOUBLE_EQ(figures.others_excess_us, 0.0);
}

}  // namespace
}  // namespace mpiactor::bench
