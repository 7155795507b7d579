#include "bench/call_times.h"

#include <gtest/gtest.h>

namespace mpiactor::bench {
namespace {

TEST(Excess, LeavesOutWhatTheRootsArrivalForces) {
  // Root is rank 1. Rank 0 comes 4 us before it and leaves 1 us after the root's entry; rank 2
  // comes 3 us after it and stays for 2 us.
  const CallTimes call{.root = 1, .arrival_ns = {1000, 5000, 8000}, .exit_ns = {6000, 5500, 10000}};
  EXPECT_EQ(excess_ns(call, 0), 1000);
  EXPECT_EQ(excess_ns(call, 1), 500);
  EXPECT_EQ(excess_ns(call, 2), 2000);
}

TEST(Excess, IsZeroForARankThatLeavesWithTheRootsEntry) {
  const CallTimes call{
      .root = 1, .arrival_ns = {0, 20'000'000}, .exit_ns = {20'000'000, 20'000'100}};
  EXPECT_EQ(excess_ns(call, 0), 0);
}

TEST(Summary, OfTwoCallsByHand) {
  // Call 1, root 0: in call 10, 20, 30 us; excess of ranks 1, 2: arrived 5 and 10 us after the
  // root, so all their time: 20, 30 us; last exit at 40 us, last arrival at 10 us.
  const CallTimes first{
      .root = 0, .arrival_ns = {0, 5000, 10000}, .exit_ns = {10000, 25000, 40000}};
  // Call 2, root 2, which enters at 100 us: ranks 0, 1 entered 100 and 50 us before it and left
  // 4 and 6 us after it: in call 104, 56, 2 us; excess 4, 6 us.
  const CallTimes second{
      .root = 2, .arrival_ns = {0, 50000, 100000}, .exit_ns = {104000, 106000, 102000}};
  const CallSummary summary = summarise({first, second});
  EXPECT_DOUBLE_EQ(summary.in_call_us.mean, (10 + 20 + 30 + 104 + 56 + 2) / 6.0);
  EXPECT_DOUBLE_EQ(summary.in_call_us.max, 104);
  EXPECT_DOUBLE_EQ(summary.slowest_rank_in_call_us, 57);  // rank 0: (10 + 104) / 2
  EXPECT_DOUBLE_EQ(summary.excess_us.mean, 15);           // 20, 30, 4, 6
  EXPECT_DOUBLE_EQ(summary.excess_us.p50, 13);
  EXPECT_DOUBLE_EQ(summary.excess_us.p95, 28.5);
  EXPECT_DOUBLE_EQ(summary.excess_us.max, 30);
  EXPECT_DOUBLE_EQ(summary.root_in_call_us.mean, 6);                   // 10, 2
  EXPECT_DOUBLE_EQ(summary.last_exit_after_last_arrival_us.mean, 18);  // 30, 6
  EXPECT_DOUBLE_EQ(summary.last_exit_after_root_entry_us.p50, 23);     // 40, 6
  EXPECT_DOUBLE_EQ(summary.arrival_spread_us.max, 100);
}

TEST(Summary, OfOneRankHasNoExcess) {
  const CallSummary summary = summarise({{.root = 0, .arrival_ns = {10}, .exit_ns = {1010}}});
  EXPECT_DOUBLE_EQ(summary.excess_us.max, 0);
  EXPECT_DOUBLE_EQ(summary.root_in_call_us.mean, 1);
}

}  // namespace
}  // namespace mpiactor::bench
