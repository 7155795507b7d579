#include "sim/node_copies.h"

#include <gtest/gtest.h>

#include "tests/sim/plans.h"

namespace mpiactor::sim {
namespace {

// 2,000 MB/s for one rank, 3,000 for all of a node: 1,000 bytes take one rank 0.5 us, each of two
// at once 2/3 us.
Machine copying_machine() {
  Machine machine = round_machine();
  machine.copy_mbps = 2000;
  machine.memory_mbps = 3000;
  return machine;
}

using Times = std::vector<Picoseconds>;

Times ends(const std::vector<TakenSegment>& segments, const Times& begins) {
  return copies_ends(copying_machine(), segments, begins);
}

TEST(CopiesEnds, OneMemberCopiesAtItsOwnRate) {
  EXPECT_EQ(ends({{0, 6000}}, {0}), (Times{3 * kUs}));
  EXPECT_EQ(ends({{0, 6000}}, {7 * kUs}), (Times{10 * kUs})) << "late";
  EXPECT_EQ(ends({{5 * kUs, 6000}}, {0}), (Times{8 * kUs})) << "data late";
}

TEST(CopiesEnds, OnlyThoseWhoCopyShareTheMemory) {
  EXPECT_EQ(ends({{0, 6000}}, {0, 0}), (Times{4 * kUs, 4 * kUs}));
  EXPECT_EQ(ends({{0, 6000}}, {0, 3 * kUs}), (Times{3 * kUs, 6 * kUs})) << "one after the other";
  // Alone for 1 us (2,000 bytes), then two at 1.5 bytes a ns: the first has its other 4,000 after
  // 8/3 us, the second 4,000 then, and the last 2,000 alone in 1 us.
  const Times overlapping = ends({{0, 6000}}, {0, kUs});
  EXPECT_NEAR(static_cast<double>(overlapping[0]), kUs * (1 + 8.0 / 3), 1);
  EXPECT_NEAR(static_cast<double>(overlapping[1]), kUs * (2 + 8.0 / 3), 1);
}

TEST(CopiesEnds, SegmentsAreCopiedWhileOthersCome) {
  // Faster than they come: the last one alone counts.
  EXPECT_EQ(ends({{kUs, 1000}, {2 * kUs, 1000}, {3 * kUs, 1000}}, {0}), (Times{3 * kUs + kUs / 2}));
  // Slower: all count from the first one on.
  EXPECT_EQ(ends({{kUs, 4000}, {kUs + 1, 4000}, {kUs + 2, 4000}}, {0}), (Times{7 * kUs}));
}

TEST(CopiesEnds, NobodyCopies) { EXPECT_EQ(ends({{0, 1}}, {}), Times()); }

}  // namespace
}  // namespace mpiactor::sim
