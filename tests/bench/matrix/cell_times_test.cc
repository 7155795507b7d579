#include "bench/matrix/cell_times.h"

#include <gtest/gtest.h>

namespace mpiactor::bench {
namespace {

// Rank 1 is the root; rank 2 comes last.
TimedCall example() {
  return {{.root = 1, .arrival_ns = {1'000, 3'000, 9'000}, .exit_ns = {10'000, 11'000, 14'000}},
          1'000};
}

TEST(LastNeededArrival, AmongAllIsTheLastOne) {
  for (const int rank : {0, 1, 2}) {
    EXPECT_EQ(last_needed_arrival_ns(Direction::kAmongAll, example(), rank), 9'000);
  }
}

TEST(LastNeededArrival, FromTheRootIsTheRootsOrOnesOwn) {
  EXPECT_EQ(last_needed_arrival_ns(Direction::kFromRoot, example(), 0), 3'000);
  EXPECT_EQ(last_needed_arrival_ns(Direction::kFromRoot, example(), 1), 3'000);
  EXPECT_EQ(last_needed_arrival_ns(Direction::kFromRoot, example(), 2), 9'000);
}

TEST(LastNeededArrival, ToTheRootIsEverybodysForTheRootAlone) {
  EXPECT_EQ(last_needed_arrival_ns(Direction::kToRoot, example(), 0), 1'000);
  EXPECT_EQ(last_needed_arrival_ns(Direction::kToRoot, example(), 1), 9'000);
  EXPECT_EQ(last_needed_arrival_ns(Direction::kToRoot, example(), 2), 9'000);
}

TEST(Summarise, TellsTheRootFromTheOthers) {
  const CellSummary to_root = summarise(Direction::kToRoot, {example()});
  EXPECT_DOUBLE_EQ(to_root.root_excess_us.mean, 2.0);             // 11 - 9
  EXPECT_DOUBLE_EQ(to_root.others_excess_us.mean, (9 + 5) / 2.);  // 10 - 1, 14 - 9
  EXPECT_DOUBLE_EQ(to_root.excess_us.mean, (9 + 2 + 5) / 3.);
  const CellSummary from_root = summarise(Direction::kFromRoot, {example()});
  EXPECT_DOUBLE_EQ(from_root.root_excess_us.mean, 8.0);             // 11 - 3
  EXPECT_DOUBLE_EQ(from_root.others_excess_us.mean, (7 + 5) / 2.);  // 10 - 3, 14 - 9
}

TEST(Summarise, CountsFromTheStartAndFromTheLastArrival) {
  TimedCall slow = example();
  slow.exit_ns[0] = 40'000;
  const CellSummary summary = summarise(Direction::kAmongAll, {example(), slow});
  EXPECT_DOUBLE_EQ(summary.last_exit_after_start_us.p50, (13 + 39) / 2.);
  EXPECT_DOUBLE_EQ(summary.last_exit_after_start_us.max, 39);
  EXPECT_DOUBLE_EQ(summary.last_exit_after_last_arrival_us.p50, (5 + 31) / 2.);
  EXPECT_DOUBLE_EQ(summary.arrival_spread_us.mean, 8);
  EXPECT_DOUBLE_EQ(summary.in_call_us.max, 39);
  // Nobody is the root here, so every rank's excess is counted as the others'.
  EXPECT_DOUBLE_EQ(summary.others_excess_us.mean, (1 + 2 + 5 + 31 + 2 + 5) / 6.);
  EXPECT_DOUBLE_EQ(summary.excess_us.mean, summary.others_excess_us.mean);
}

}  // namespace
}  // namespace mpiactor::bench
