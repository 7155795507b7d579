// The verifier must refuse broken plans, and say what is wrong with them.
#include "inter/verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/inter/operations.h"

namespace mpiactor::inter {
namespace {

using testing::HasSubstr;

std::string error_of(const std::vector<Plan>& plans, std::uint64_t seed = 1) {
  Scenario scenario = scenario_of(static_cast<int>(plans.size()));
  scenario.seed = seed;
  return verify_plans(plans, scenario).error;
}

// 0 -> 1 -> 2, the whole message.
std::vector<Plan> chain_of_three() {
  std::vector<Plan> plans(3);
  plans[0].add(send(1, 0, 16));
  const std::uint32_t got = plans[1].add(receive(0, 0, 16));
  plans[1].add(send(2, 0, 16), {got});
  plans[2].add(receive(1, 0, 16));
  return plans;
}

TEST(Verifier, AcceptsAChain) {
  const VerifyReport report = verify_plans(chain_of_three(), scenario_of(3));
  EXPECT_EQ(report.error, "");
  EXPECT_EQ(report.depth, 2);
  EXPECT_EQ(report.rounds, 2);
  EXPECT_EQ(report.max_sent_bytes, 16u);
  EXPECT_EQ(report.max_received_bytes, 16u);
  EXPECT_EQ(report.max_ops, 2u);
  EXPECT_EQ(report.streams, 1);
  EXPECT_EQ(report.links.max_transfers, 1);
  EXPECT_EQ(report.links.links_used, 2);
  EXPECT_TRUE(report.links.disjoint());
}

TEST(Verifier, FindsAMissingWaitWhateverTheOrder) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<Plan> plans = chain_of_three();
    plans[1] = Plan();
    plans[1].add(receive(0, 0, 16));
    plans[1].add(send(2, 0, 16));
    EXPECT_THAT(error_of(plans, seed), HasSubstr("does not wait for node 1 op 0"));
  }
}

TEST(Verifier, FindsAWaitThatCoversOnlySomeBytes) {
  std::vector<Plan> plans(3);
  plans[0].add(send(1, 0, 8, 0));
  plans[0].add(send(1, 8, 8, 1));
  const std::uint32_t first = plans[1].add(receive(0, 0, 8, 0));
  plans[1].add(receive(0, 8, 8, 1));
  plans[1].add(send(2, 0, 16), {first});
  plans[2].add(receive(1, 0, 16));
  EXPECT_THAT(error_of(plans), HasSubstr("node 1 op 2"));
  EXPECT_THAT(error_of(plans), HasSubstr("does not wait for node 1 op 1"));
}

TEST(Verifier, FindsAMissingByte) {
  std::vector<Plan> plans(2);
  plans[0].add(send(1, 0, 15));
  plans[1].add(receive(0, 0, 15));
  EXPECT_EQ(error_of(plans), "node 1 never receives byte 15");
}

TEST(Verifier, FindsAByteReceivedTwice) {
  std::vector<Plan> plans(2);
  plans[0].add(send(1, 0, 16, 0));
  plans[0].add(send(1, 12, 2, 1));
  const std::uint32_t all = plans[1].add(receive(0, 0, 16, 0));
  plans[1].add(receive(0, 12, 2, 1), {all});
  EXPECT_THAT(error_of(plans), HasSubstr("node 1 receives byte 12 though it has it"));
}

TEST(Verifier, FindsTwoUnorderedReceivesOfOneByte) {
  std::vector<Plan> plans(2);
  plans[0].add(send(1, 0, 16, 0));
  plans[0].add(send(1, 12, 2, 1));
  plans[1].add(receive(0, 0, 16, 0));
  plans[1].add(receive(0, 12, 2, 1));
  EXPECT_THAT(error_of(plans), HasSubstr("does not wait for"));
}

TEST(Verifier, FindsAByteGivenBackToTheRoot) {
  std::vector<Plan> plans = chain_of_three();
  plans[2].add(send(0, 0, 1), {0});
  plans[0].add(receive(2, 0, 1), {0});
  EXPECT_THAT(error_of(plans), HasSubstr("node 0 receives byte 0 though it has it"));
}

TEST(Verifier, FindsDataSentByANodeThatHasNone) {
  std::vector<Plan> plans(2);
  plans[1].add(send(0, 0, 16));
  plans[0].add(receive(1, 0, 16));
  EXPECT_EQ(error_of(plans), "node 1 sends byte 0 to node 0 before it has it");
}

TEST(Verifier, FindsMismatchedChannelRangeAndPeer) {
  std::vector<Plan> channel(2);
  channel[0].add(send(1, 0, 16, 3));
  channel[1].add(receive(0, 0, 16, 2));
  EXPECT_THAT(error_of(channel), HasSubstr("meets no"));

  std::vector<Plan> range(2);
  range[0].add(send(1, 0, 16));
  range[1].add(receive(0, 0, 15));
  EXPECT_THAT(error_of(range), HasSubstr("in range or stream"));

  std::vector<Plan> stream(2);
  stream[0].add(send(1, 0, 16, 0, 1));
  stream[1].add(receive(0, 0, 16, 0, 2));
  EXPECT_THAT(error_of(stream), HasSubstr("in range or stream"));

  std::vector<Plan> alone(3);
  alone[0].add(send(1, 0, 16));
  EXPECT_THAT(error_of(alone), HasSubstr("node 0 op 0"));
  EXPECT_THAT(error_of(alone), HasSubstr("meets no receive"));
}

TEST(Verifier, FindsOneChannelFromTwoPeers) {
  std::vector<Plan> plans(3);
  plans[0].add(send(1, 0, 16, 0));
  plans[0].add(send(2, 0, 8, 0));
  const std::uint32_t got = plans[1].add(receive(0, 0, 16, 0));
  plans[1].add(send(2, 8, 8, 0), {got});
  plans[2].add(receive(0, 0, 8, 0));
  plans[2].add(receive(1, 8, 8, 0));
  EXPECT_THAT(error_of(plans), HasSubstr("from another peer"));
}

TEST(Verifier, FindsSwappedOrderOnOneChannel) {
  std::vector<Plan> plans(2);
  plans[0].add(send(1, 0, 8));
  plans[0].add(send(1, 8, 8));
  plans[1].add(receive(0, 8, 8));
  plans[1].add(receive(0, 0, 8));
  EXPECT_THAT(error_of(plans), HasSubstr("in range or stream"));
}

// 0 gives each of 1 and 2 one half; they swap, but each wants the other's half first.
TEST(Verifier, FindsACircleOfWaits) {
  std::vector<Plan> plans(3);
  plans[0].add(send(1, 0, 8));
  plans[0].add(send(2, 8, 8));
  for (int self : {1, 2}) {
    const int other = 3 - self;
    const std::uint64_t own = self == 1 ? 0 : 8;
    Plan& plan = plans[static_cast<std::size_t>(self)];
    const std::uint32_t from_other = plan.add(receive(other, 8 - own, 8, 1));
    const std::uint32_t half = plan.add(receive(0, own, 8), {from_other});
    plan.add(send(other, own, 8, 1), {half});
  }
  EXPECT_THAT(error_of(plans), HasSubstr("deadlock"));
}

// Node 1's two receives from 0 share a channel. The first waits for bytes that come from 2, which 2
// makes out of the second: the channel's order closes the circle, no wait alone does.
TEST(Verifier, FindsACircleThroughAChannel) {
  const auto plans_with = [](int second_channel) {
    std::vector<Plan> plans(3);
    plans[0].add(send(1, 0, 8, 0));
    plans[0].add(send(1, 8, 4, second_channel));
    plans[0].add(send(2, 0, 8, 0));
    plans[0].add(send(2, 12, 4, 0));
    const std::uint32_t from_two = plans[1].add(receive(2, 12, 4, 7));
    plans[1].add(receive(0, 0, 8, 0), {from_two});
    const std::uint32_t second = plans[1].add(receive(0, 8, 4, second_channel));
    plans[1].add(send(2, 8, 4, 7), {second});
    plans[2].add(receive(0, 0, 8, 0));
    const std::uint32_t last = plans[2].add(receive(0, 12, 4, 0));
    const std::uint32_t from_one = plans[2].add(receive(1, 8, 4, 7));
    plans[2].add(send(1, 12, 4, 7), {last, from_one});
    return plans;
  };
  EXPECT_THAT(error_of(plans_with(0)), HasSubstr("deadlock"));
  EXPECT_EQ(error_of(plans_with(1)), "");
}

PlanOp combine(int peer, std::uint64_t offset, std::uint64_t bytes, int channel = 0) {
  PlanOp op = send(peer, offset, bytes, channel);
  op.kind = OpKind::kReceiveReduce;
  return op;
}

std::string error_of(Collective collective, const std::vector<Plan>& plans) {
  Scenario scenario = scenario_of(static_cast<int>(plans.size()));
  scenario.collective = collective;
  return verify_plans(plans, scenario).error;
}

// Two nodes swap their vectors and combine: fine only where the combining waits for the own send.
TEST(Verifier, SwapsAndReduces) {
  std::vector<Plan> plans(2);
  for (int self : {0, 1}) {
    Plan& plan = plans[static_cast<std::size_t>(self)];
    const std::uint32_t sent = plan.add(send(1 - self, 0, 16));
    plan.add(combine(1 - self, 0, 16), {sent});
  }
  EXPECT_EQ(error_of(Collective::kAllreduce, plans), "");
  for (Plan& plan : plans) plan.ops[1].waits_end = plan.ops[1].waits_begin;
  EXPECT_THAT(error_of(Collective::kAllreduce, plans), HasSubstr("does not wait for"));
}

TEST(Verifier, FindsWrongReductions) {
  std::vector<Plan> missing(3);
  missing[1].add(send(0, 0, 16));
  missing[0].add(combine(1, 0, 16));
  EXPECT_EQ(error_of(Collective::kReduce, missing), "node 0 lacks contributions to byte 0");

  std::vector<Plan> twice(2);
  twice[1].add(send(0, 0, 16, 0));
  twice[1].add(send(0, 0, 16, 1));
  const std::uint32_t first = twice[0].add(combine(1, 0, 16, 0));
  twice[0].add(combine(1, 0, 16, 1), {first});
  EXPECT_THAT(error_of(Collective::kReduce, twice),
              HasSubstr("adds a contribution to byte 0 twice"));

  std::vector<Plan> early(2);
  early[1].add(send(0, 0, 16));
  early[0].add(receive(1, 0, 16));
  EXPECT_THAT(error_of(Collective::kReduce, early), HasSubstr("before all have contributed"));

  // A sum where data is only to be moved.
  std::vector<Plan> sum(2);
  sum[0].add(send(1, 0, 16));
  sum[1].add(combine(0, 0, 16));
  EXPECT_THAT(error_of(Collective::kBcast, sum), HasSubstr("only moves"));
}

// Nodes 0 and 1 both hold a + b + c in the end, but as (a + b) + c and as (b + c) + a.
TEST(Verifier, FindsDifferentOrdersOfCombining) {
  std::vector<Plan> plans(3);
  const std::uint32_t a_sent = plans[0].add(send(1, 0, 16, 5));
  const std::uint32_t c_to_1 = plans[2].add(send(1, 0, 16, 0));
  const std::uint32_t c_to_0 = plans[2].add(send(0, 0, 16, 0));
  const std::uint32_t b_sent = plans[1].add(send(0, 0, 16, 1));
  const std::uint32_t b_at_0 = plans[0].add(combine(1, 0, 16, 1), {a_sent});
  const std::uint32_t c_at_0 = plans[0].add(combine(2, 0, 16, 0), {b_at_0});
  const std::uint32_t c_at_1 = plans[1].add(combine(2, 0, 16, 0), {b_sent});
  plans[1].add(combine(0, 0, 16, 5), {c_at_1});
  plans[0].add(send(2, 0, 16, 3), {c_at_0});
  plans[2].add(receive(0, 0, 16, 3), {c_to_1, c_to_0});
  EXPECT_EQ(error_of(Collective::kAllreduce, plans),
            "nodes 0 and 1 combine byte 0 in different orders");
}

TEST(Verifier, FindsBlocksAtTheWrongNode) {
  // Blocks of 4 bytes in a 2 x 2 matrix: node 0 owes node 1 bytes [4, 8), node 1 owes [8, 12).
  std::vector<Plan> plans(2);
  plans[0].add(send(1, 4, 4));
  plans[0].add(receive(1, 12, 4));
  plans[1].add(receive(0, 4, 4));
  plans[1].add(send(0, 12, 4));
  EXPECT_EQ(error_of(Collective::kAlltoall, plans), "node 0 never receives byte 8");
}

TEST(Verifier, RefusesMalformedOperations) {
  const auto error_with = [](PlanOp op) {
    std::vector<Plan> plans(2);
    plans[0].ops.push_back(op);
    return error_of(plans);
  };
  EXPECT_THAT(error_with(send(0, 0, 1)), HasSubstr("itself"));
  EXPECT_THAT(error_with(send(2, 0, 1)), HasSubstr("peer out of range"));
  EXPECT_THAT(error_with(send(-1, 0, 1)), HasSubstr("peer out of range"));
  EXPECT_THAT(error_with(send(1, 0, 0)), HasSubstr("no bytes"));
  EXPECT_THAT(error_with(send(1, 0, 1, kMaxChannels)), HasSubstr("channel out of range"));
  EXPECT_THAT(error_with(send(1, 0, 1, -1)), HasSubstr("channel out of range"));
  EXPECT_THAT(error_with(send(1, ~std::uint64_t{0}, 2)), HasSubstr("overflows"));
  PlanOp waits = send(1, 0, 1);
  waits.waits_end = 1;
  EXPECT_THAT(error_with(waits), HasSubstr("waits out of range"));

  std::vector<Plan> forward(2);
  forward[0].add(send(1, 0, 1), {0});
  EXPECT_THAT(error_of(forward), HasSubstr("not an earlier one"));
}

TEST(Verifier, WantsOnePlanPerNode) {
  EXPECT_EQ(verify_plans(chain_of_three(), scenario_of(4)).error, "3 plans for 4 nodes");
}

TEST(Verifier, CountsStreamsPerLink) {
  // Both halves go 0 -> 1 and 0 -> 2 over the same first link on a mesh of three.
  std::vector<Plan> plans(3);
  plans[0].add(send(1, 0, 16, 0, 0));
  plans[0].add(send(2, 0, 16, 0, 1));
  plans[1].add(receive(0, 0, 16, 0, 0));
  plans[2].add(receive(0, 0, 16, 0, 1));
  Scenario scenario = scenario_of(3);
  scenario.shape.wraps[0] = false;
  const VerifyReport mesh = verify_plans(plans, scenario);
  EXPECT_EQ(mesh.error, "");
  EXPECT_EQ(mesh.streams, 2);
  EXPECT_EQ(mesh.links.max_streams, 2);
  EXPECT_EQ(mesh.links.max_bytes, 32u);
  EXPECT_EQ(mesh.links.links_used, 2);
  EXPECT_FALSE(mesh.links.disjoint());
  // On a torus 2 is the neighbour on the other side.
  const VerifyReport torus = verify_plans(plans, scenario_of(3));
  EXPECT_EQ(torus.links.max_streams, 1);
  EXPECT_TRUE(torus.links.disjoint());
}

}  // namespace
}  // namespace mpiactor::inter
