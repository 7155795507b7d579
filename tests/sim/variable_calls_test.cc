// Recorded calls whose blocks differ from rank to rank, and reductions to all, under both leader
// policies; times as in recorded_call_test.cc.
#include <gtest/gtest.h>

#include "sim/messages.h"
#include "sim/recorded_call.h"
#include "sim/replay_calls.h"
#include "tests/sim/plans.h"

namespace mpiactor::sim {
namespace {

using enum RecordedOperation;
using Excess = std::vector<double>;
using Blocks = std::vector<std::uint64_t>;

RecordedCall call_of(RecordedOperation operation, std::vector<int> node_ranks,
                     std::vector<Picoseconds> arrivals_us) {
  for (Picoseconds& arrival : arrivals_us) arrival *= kUs;
  return {.operation = operation,
          .node_ranks = std::move(node_ranks),
          .arrivals = std::move(arrivals_us)};
}

RecordedCall blocks_of(RecordedOperation operation, std::vector<int> node_ranks, Blocks blocks,
                       std::vector<Picoseconds> arrivals_us) {
  RecordedCall call = call_of(operation, std::move(node_ranks), std::move(arrivals_us));
  call.blocks = std::move(blocks);
  return call;
}

RecordedCall vectors_of(RecordedOperation operation, std::vector<int> node_ranks,
                        std::uint64_t bytes, std::vector<Picoseconds> arrivals_us) {
  RecordedCall call = call_of(operation, std::move(node_ranks), std::move(arrivals_us));
  call.bytes = bytes;
  return call;
}

void expect_near(const Excess& got, const Excess& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t rank = 0; rank < got.size(); ++rank) {
    EXPECT_NEAR(got[rank], wanted[rank], 1e-9) << "rank " << rank;
  }
}

void expect_excess(const RecordedCall& call, const Excess& of_static,
                   const Excess& of_competitive) {
  const ReplayedCall replayed = replay(round_machine(), 0, call);
  {
    SCOPED_TRACE("static");
    expect_near(replayed.of_static.excess_us, of_static);
  }
  SCOPED_TRACE("competitive");
  expect_near(replayed.of_competitive.excess_us, of_competitive);
}

TEST(Messages, BeginWhenBothSidesAreThere) {
  const MessageEnds ends = simulate_messages(
      round_machine(), 3,
      {{.from = 0, .to = 2, .bytes = 1000, .given = 10 * kUs, .wanted = 0},
       {.from = 1, .to = 2, .bytes = 2000, .given = 0, .wanted = 50 * kUs, .after = {0}},
       {.from = 1, .to = 0, .bytes = 3000, .given = 20 * kUs, .wanted = 5 * kUs}});
  EXPECT_EQ(ends.received, (std::vector<Picoseconds>{15 * kUs, 56 * kUs, 27 * kUs}));
  EXPECT_EQ(ends.sent, ends.received);
}

TEST(Messages, AgreeFromTheLaterOnesComingOn) {
  Machine machine = round_machine();
  machine.rendezvous_ps = 3 * kUs;
  const MessageEnds ends =
      simulate_messages(machine, 2,
                        {{.from = 0, .to = 1, .bytes = 1000, .given = 10 * kUs, .wanted = 40 * kUs},
                         {.from = 1, .to = 0, .bytes = 1000, .given = 70 * kUs, .wanted = 0}});
  EXPECT_EQ(ends.received, (std::vector<Picoseconds>{48 * kUs, 78 * kUs}));
}

TEST(Messages, OneWaitsForTheOther) {
  const MessageEnds ends =
      simulate_messages(round_machine(), 2,
                        {{.from = 0, .to = 1, .bytes = 1000, .given = 100 * kUs, .wanted = 0},
                         {.from = 0, .to = 1, .bytes = 1000, .given = 0, .wanted = 0, .after = {0}},
                         {.from = 0, .to = 1, .bytes = 1000, .given = 0, .wanted = 0}});
  EXPECT_EQ(ends.received, (std::vector<Picoseconds>{105 * kUs, 110 * kUs, 5 * kUs}));
}

TEST(Messages, ShortOnesDoNotWaitForTheReceiver) {
  Machine machine = round_machine();
  machine.eager_bytes_1_hop = machine.eager_bytes_40_hops = 1000;
  const MessageEnds ends =
      simulate_messages(machine, 2,
                        {{.from = 0, .to = 1, .bytes = 1000, .given = 10 * kUs, .wanted = 50 * kUs},
                         {.from = 1, .to = 0, .bytes = 1000, .given = 0, .wanted = 0}});
  EXPECT_EQ(ends.sent, (std::vector<Picoseconds>{15 * kUs, 5 * kUs}));
  EXPECT_EQ(ends.received, (std::vector<Picoseconds>{50 * kUs, 5 * kUs}));
}

TEST(VariableCalls, GathervInMessagesOfBlocks) {
  // Two sizes and 4,000 bytes leave node 1 at 101.5 us and take 8.016 us; the root copies them and
  // rank 1's block.
  expect_excess(blocks_of(kGatherv, {2, 2}, {0, 1000, 1000, 3000}, {0, 0, 0, 100}),
                {12.024, 0.5, 109.516, 1.5}, {12.024, 0.5, 0.5, 9.516});
}

TEST(VariableCalls, GathervOfBlocksThatTravelAlone) {
  // Rank 3 sends 8,000 bytes itself, at once; its node's block message waits for rank 2.
  expect_excess(blocks_of(kGatherv, {2, 2}, {0, 0, 1000, 8000}, {0, 0, 100, 0}),
                {6.024, 0, 5.516, 12}, {6.024, 0, 5.516, 12});
}

TEST(VariableCalls, GathervByWayOfTheNode) {
  // 70,000 bytes, laid down in 35 us, follow their block message.
  const RecordedCall call = blocks_of(kGatherv, {2, 2}, {0, 0, 0, 70000}, {0, 0, 100, 0});
  const double message = 100 + 4.016;
  const double block = message + 74;
  expect_excess(call, {block - 100 + 0.008, 0, block - 100, 35},
                {block - 100 + 0.008, 0, block - 100, 35});
}

TEST(VariableCalls, NobodySendsWhereNobodyGives) {
  expect_excess(blocks_of(kGatherv, {2, 2}, {0, 1000, 0, 0}, {0, 0, 0, 100}), {0, 0.5, 100, 0},
                {0, 0.5, 0, 0});
}

TEST(VariableCalls, LastRankSendsInAnAllgatherv) {
  // As an allgather: 1,000 bytes leave node 1 at 1,000.5 us.
  expect_excess(blocks_of(kAllgatherv, {2, 2}, {500, 500, 0, 1000}, {0, 0, 0, 1000}),
                {7.5, 7.5, 7.5, 7.5}, {7.5, 7.5, 2.5, 7.5});
  // Nodes that give differently send directly under both policies: 3,000 bytes leave node 1 at
  // 1,000 us and take 7 us; they are copied in 3 us, by the sender when it has sent.
  expect_excess(blocks_of(kAllgatherv, {2, 2}, {0, 0, 3000, 0}, {0, 0, 0, 1000}), {10, 10, 10, 10},
                {10, 10, 3, 10});
  EXPECT_EQ(play(round_machine(), blocks_of(kAllgatherv, {2, 2}, {0, 1, 1, 0}, {0, 0, 0, 0}),
                 LeaderPolicy::kStatic, 8)
                .algorithm,
            "bruck");
}

TEST(ReductionsToAll, InOneRound) {
  // Node 1's vector is complete at 102.5 us, the other's is there; each combines two in 2 us. Rank 3
  // has sent at 107.5 us. Under static leaders the nodes swap their vectors by a plan.
  expect_excess(vectors_of(kAllreduce, {2, 2}, 1000, {0, 0, 0, 100}), {10.5, 10.5, 10.5, 10.5},
                {10.5, 10.5, 5.5, 8.5});
  expect_excess(vectors_of(kBarrier, {2, 2}, 0, {0, 0, 0, 100}), {4.0065, 4.0065, 4.0065, 4.0065},
                {4.0065, 4.0065, 0.0055, 4.0045});
}

TEST(ReductionsToAll, TwoNodesSwapTheirVectors) {
  const RecordedCall call = vectors_of(kAllreduce, {2, 2}, 20000, {0, 0, 0, 100});
  expect_near(replay(round_machine(), 0, call).of_competitive.excess_us, {134, 134, 110, 110});
  EXPECT_EQ(play(round_machine(), call, LeaderPolicy::kCompetitive, 8).algorithm, "direct");
  EXPECT_NE(play(round_machine(), call, LeaderPolicy::kStatic, 8).algorithm, "direct");
}

TEST(ReductionsToAll, SharesOnThreeNodes) {
  // Node 0's vector is complete at 1,120 us, its shares are there at 1,140 and 1,140.5 us; each
  // node combines three shares of 16,000 bytes in 64 us and sends the result, 20 us, to both
  // others.
  const RecordedCall call = vectors_of(kAllreduce, {2, 1, 1}, 48000, {0, 1000, 0, 0});
  expect_near(replay(round_machine(), 0, call).of_competitive.excess_us,
              {224.5 + 48, 224.5 + 48, 225 + 24, 225 + 24});
}

TEST(ReductionsToAll, ReduceScatterOfUnevenNodes) {
  expect_excess(vectors_of(kReduceScatterBlock, {2, 2}, 4000, {0, 0, 0, 100}), {21, 21, 21, 21},
                {20, 20, 14, 20});
  // Node 0 combines three vectors in 16 us from 102 us on and has three of four shares.
  expect_excess(vectors_of(kReduceScatterBlock, {3, 1}, 4000, {0, 100, 0, 0}),
                {18 + 7 + 6 + 1.5, 18 + 7 + 6 + 1.5, 18 + 7 + 6 + 1.5, 18 + 5 + 2 + 0.5},
                {18 + 6, 18 + 5 + 6, 18 + 6, 18 + 5 + 2});
}

}  // namespace
}  // namespace mpiactor::sim
