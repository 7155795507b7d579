// Recorded calls under both leader policies, on a machine whose times can be computed by hand:
// a message takes 4 us and 1 us for 1,000 bytes, and begins when its receiver is there; 1,000 bytes
// are copied in 0.5 us by one rank (1 us where two copy at once, 1.5 us where three do) and
// combined in 2 us.
#include "sim/recorded_call.h"

#include <gtest/gtest.h>

#include "sim/replay_calls.h"
#include "tests/sim/plans.h"

namespace mpiactor::sim {
namespace {

using enum RecordedOperation;
using Excess = std::vector<double>;

RecordedCall call_of(RecordedOperation operation, std::vector<int> node_ranks, int root,
                     std::uint64_t bytes, std::vector<Picoseconds> arrivals_us) {
  for (Picoseconds& arrival : arrivals_us) arrival *= kUs;
  return {.operation = operation,
          .node_ranks = std::move(node_ranks),
          .root_rank = root,
          .bytes = bytes,
          .arrivals = std::move(arrivals_us)};
}

void expect_excess(const RecordedCall& call, const Excess& of_static,
                   const Excess& of_competitive) {
  const ReplayedCall replayed = replay(round_machine(), 0, call);
  EXPECT_EQ(replayed.of_static.excess_us, of_static);
  EXPECT_EQ(replayed.of_competitive.excess_us, of_competitive);
}

TEST(RecordedCall, GatherHoldsThePunctualStaticLeader) {
  // Two blocks leave node 1 at 100.5 us and arrive 6 us later; the root copies three blocks.
  expect_excess(call_of(kGather, {2, 2}, 0, 1000, {0, 0, 0, 100}), {8, 0.5, 106.5, 0.5},
                {8, 0.5, 0.5, 6.5});
}

TEST(RecordedCall, GatherBehindItsLateLeaderCostsTheSame) {
  expect_excess(call_of(kGather, {2, 2}, 0, 1000, {0, 0, 100, 0}), {8, 0.5, 6.5, 0.5},
                {8, 0.5, 6.5, 0.5});
}

TEST(RecordedCall, GatherFromUnevenNodes) {
  // Three blocks leave node 0 at 100.5 us and take 7 us.
  expect_excess(call_of(kGather, {3, 1}, 3, 1000, {0, 100, 0, 0}), {107.5, 0.5, 0.5, 9},
                {0.5, 7.5, 0.5, 9});
}

TEST(RecordedCall, ReduceCombinesBeforeItSends) {
  // Node 1 has combined at 102.5 us, its vector is at the root at 107.5 us and combined 2 us later.
  expect_excess(call_of(kReduce, {2, 2}, 0, 1000, {0, 0, 0, 100}), {9.5, 0.5, 107.5, 0.5},
                {9.5, 0.5, 0.5, 7.5});
  // Node 0 has two vectors to combine with the third: 104.5, 109.5, 111.5 us.
  expect_excess(call_of(kReduce, {3, 1}, 3, 1000, {0, 100, 0, 0}), {109.5, 0.5, 0.5, 11.5},
                {0.5, 9.5, 0.5, 11.5});
}

TEST(RecordedCall, ScatterWaitsForTheStaticLeader) {
  expect_excess(call_of(kScatter, {2, 2}, 0, 1000, {0, 0, 100, 0}), {106, 1, 7, 107}, {6, 1, 1, 7});
  // A late follower keeps nobody.
  expect_excess(call_of(kScatter, {2, 2}, 0, 1000, {0, 0, 0, 100}), {6, 1, 7, 1}, {6, 1, 7, 1});
  // Three blocks take 7 us, and three ranks copy at once.
  expect_excess(call_of(kScatter, {3, 1}, 3, 1000, {100, 0, 0, 0}), {8.5, 108.5, 108.5, 107},
                {1.5, 8.5, 8.5, 7});
}

TEST(RecordedCall, BroadcastToUnevenNodes) {
  RecordedCall call = call_of(kBcast, {3, 1}, 3, 1000, {100, 0, 0, 0});
  call.algorithm = "chain";
  expect_excess(call, {5, 106, 106, 105}, {1, 5, 6, 5});
}

// The root has laid its message down after half a microsecond and goes on under either policy.
TEST(RecordedCall, WhoWaitsForTheRootOfABroadcastSendsForIt) {
  RecordedCall call = call_of(kBcast, {2, 2}, 1, 1000, {0, 10, 100, 100});
  call.algorithm = "chain";
  expect_excess(call, {95, 0.5, 5, 5.5}, {95, 0.5, 5, 5.5});
  // Only the lowest rank sends under static leaders.
  call = call_of(kBcast, {3, 1}, 1, 1000, {20, 10, 0, 100});
  call.algorithm = "chain";
  expect_excess(call, {1, 95, 1, 5}, {1, 0.5, 95, 5});
}

TEST(RecordedCall, LastRankSendsInAnAllgather) {
  // Node 0's bytes lie on node 1 since 305 us, where its leader began to receive at 300 us; its own
  // leave at 1,000.25 us, take 5 us, and the result is copied in 2 us.
  expect_excess(call_of(kAllgather, {2, 2}, 0, 500, {0, 0, 0, 1000}), {7.25, 7.25, 7.25, 7.25},
                {7.25, 7.25, 2.25, 7.25});
  // The leader has waited for a short while alone, and does both from 100 us on: it has the others'
  // bytes at 105 us and has sent its own at 105.25 us.
  expect_excess(call_of(kAllgather, {2, 2}, 0, 500, {0, 0, 0, 100}), {7.25, 7.25, 7.25, 7.25},
                {7.25, 7.25, 7.25, 7});
}

TEST(RecordedCall, LastRankSendsInAnAlltoall) {
  expect_excess(call_of(kAlltoall, {2, 2}, 0, 250, {0, 0, 0, 1000}), {6.5, 6.5, 6.5, 6.5},
                {6.5, 6.5, 1.5, 6.5});
  // Three blocks each way between the nodes, of which node 0 lays down at 1,000.5 us.
  expect_excess(call_of(kAlltoall, {3, 1}, 0, 250, {0, 0, 1000, 0}),
                {6.75, 6.75, 6.75, 0.5 + 4.75 + 0.5}, {2, 2, 6.75, 0.5 + 4.75 + 0.5});
}

TEST(RecordedCall, NamesThePlans) {
  const RecordedCall even = call_of(kAllgather, {2, 2}, 0, 500, {0, 0, 0, 0});
  const RecordedCall uneven = call_of(kAllgather, {3, 1}, 0, 500, {0, 0, 0, 0});
  EXPECT_EQ(play(round_machine(), even, LeaderPolicy::kStatic, 8).algorithm, "bruck");
  EXPECT_EQ(play(round_machine(), even, LeaderPolicy::kCompetitive, 8).algorithm, "direct");
  EXPECT_EQ(play(round_machine(), uneven, LeaderPolicy::kStatic, 8).algorithm, "direct");
}

}  // namespace
}  // namespace mpiactor::sim
