#include "bench/matrix/cell_plan.h"

#include <gtest/gtest.h>

namespace mpiactor::bench {
namespace {

TEST(NeededBytes, CountsTheBlocksOfBothBuffers) {
  const auto needed = [](const char* name) {
    return needed_bytes({.collective = parse_collectives(name).front(), .bytes = 100}, 8);
  };
  EXPECT_EQ(needed("bcast").send + needed("bcast").receive, 100);
  EXPECT_EQ(needed("allreduce").send, 100);
  EXPECT_EQ(needed("allreduce").receive, 100);
  EXPECT_EQ(needed("reduce_scatter").send, 800);
  EXPECT_EQ(needed("reduce_scatter").receive, 100);
  EXPECT_EQ(needed("gather").send, 100);
  EXPECT_EQ(needed("gather").receive, 800);
  EXPECT_EQ(needed("alltoallv").send, 800);
  EXPECT_EQ(needed("alltoallv").receive, 800);
}

TEST(PlanCells, SkipsWhatIsTooLargeAndSaysSo) {
  const CellPlan plan = plan_cells(parse_collectives("barrier,allreduce,alltoall"), {4, 1024},
                                   Roots::kFixed, /*under_way=*/1, /*ranks=*/4,
                                   /*limit_bytes=*/2048);
  ASSERT_EQ(plan.cells.size(), 4u);  // barrier once, allreduce twice, alltoall once
  EXPECT_EQ(plan.cells[0].bytes, 0);
  EXPECT_STREQ(plan.cells[2].collective->name, "allreduce");
  EXPECT_EQ(plan.cells[2].bytes, 1024);
  EXPECT_EQ(plan.cells[3].bytes, 4);
  ASSERT_EQ(plan.skipped.size(), 1u);
  EXPECT_STREQ(plan.skipped[0].collective->name, "alltoall");
  EXPECT_EQ(plan.skipped[0].bytes, 1024);
  EXPECT_EQ(plan.largest.send, 1024);
  EXPECT_EQ(plan.largest.receive, 1024);
}

TEST(PlanCells, NonblockingCallsUnderWayTogetherHaveAReceiveBufferEach) {
  const CellPlan plan = plan_cells(parse_collectives("allgather,iallgather,ibarrier"), {8},
                                   Roots::kFixed, /*under_way=*/5, /*ranks=*/4, 1024);
  ASSERT_EQ(plan.cells.size(), 3u);
  EXPECT_EQ(plan.cells[0].under_way, 1);
  EXPECT_EQ(plan.cells[1].under_way, 5);
  EXPECT_EQ(plan.cells[2].under_way, 5);
  EXPECT_EQ(plan.largest.send, 8);
  EXPECT_EQ(plan.largest.receive, 5 * 4 * 8);
}

TEST(PlanCells, RootedCollectivesMayHaveCellsForBothKindsOfRoots) {
  const auto rotating = [](Roots roots) {
    std::vector<bool> values;
    for (const Cell& cell :
         plan_cells(parse_collectives("bcast,allgather"), {8}, roots, 1, 2, 1024).cells) {
      values.push_back(cell.rotating);
    }
    return values;
  };
  EXPECT_EQ(rotating(Roots::kFixed), (std::vector<bool>{false, false}));
  EXPECT_EQ(rotating(Roots::kRotate), (std::vector<bool>{true, false}));
  EXPECT_EQ(rotating(Roots::kBoth), (std::vector<bool>{false, true, false}));
}

}  // namespace
}  // namespace mpiactor::bench
