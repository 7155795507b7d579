// Strided operations and the layouts of alltoalls: what the verifier accepts and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "inter/verifier.h"
#include "tests/inter/operations.h"

namespace mpiactor::inter {
namespace {

using testing::HasSubstr;

// Bruck's alltoall of two nodes: both swap slot 1, 8 bytes.
std::vector<Plan> swap_by_distance() {
  std::vector<Plan> plans(2);
  for (int self : {0, 1}) {
    Plan& plan = plans[static_cast<std::size_t>(self)];
    plan.layout = BufferLayout::kByDistance;
    PlanOp op = send(1 - self, 8, 8);
    op.run_bytes = 8;
    const std::uint32_t sent = plan.add(op);
    op.kind = OpKind::kReceive;
    plan.add(op, {sent});
  }
  return plans;
}

std::string alltoall_error(const std::vector<Plan>& plans, std::uint64_t block_bytes = 8) {
  const auto nodes = static_cast<int>(plans.size());
  Scenario scenario = scenario_of(nodes, block_bytes * plans.size() * plans.size());
  scenario.collective = Collective::kAlltoall;
  return verify_plans(plans, scenario).error;
}

TEST(VerifierLayouts, KnowsTheLayoutByDistance) {
  EXPECT_EQ(alltoall_error(swap_by_distance()), "");

  std::vector<Plan> race = swap_by_distance();
  race[1].ops[1].waits_end = race[1].ops[1].waits_begin;
  EXPECT_THAT(alltoall_error(race), HasSubstr("node 1 op 1"));
  EXPECT_THAT(alltoall_error(race), HasSubstr("does not wait for"));

  // Taken straight into its place a block cannot be swapped: each waits for the other.
  std::vector<Plan> contiguous = swap_by_distance();
  for (Plan& plan : contiguous) {
    for (PlanOp& op : plan.ops) op.run_bytes = 0;
  }
  EXPECT_THAT(alltoall_error(contiguous), HasSubstr("deadlock"));

  std::vector<Plan> mixed = swap_by_distance();
  mixed[1].layout = BufferLayout::kMessage;
  EXPECT_THAT(alltoall_error(mixed), HasSubstr("node 1 has another layout"));
  EXPECT_THAT(verify_plans(swap_by_distance(), scenario_of(2)).error,
              HasSubstr("has a layout for alltoall"));

  std::vector<Plan> beyond = swap_by_distance();
  for (Plan& plan : beyond) {
    for (PlanOp& op : plan.ops) op.offset = 16;
  }
  EXPECT_THAT(alltoall_error(beyond), HasSubstr("reaches beyond the 16 bytes"));
}

TEST(VerifierLayouts, FindsBlocksThatBruckLosesOnTheWay) {
  const Algorithm& bruck = *find_algorithm(Collective::kAlltoall, "bruck");
  const auto plans_of = [&](int nodes) {
    std::vector<Plan> plans;
    for (int node = 0; node < nodes; ++node) {
      plans.push_back(bruck.make_plan({.shape = Shape::line(nodes),
                                       .bytes = 8 * static_cast<std::uint64_t>(nodes * nodes),
                                       .node = node}));
    }
    return plans;
  };
  EXPECT_EQ(alltoall_error(plans_of(6)), "");

  std::vector<Plan> short_round = plans_of(6);  // slot 5 stays behind in the first round
  for (Plan& plan : short_round) plan.ops[0].bytes = plan.ops[1].bytes = 16;
  EXPECT_EQ(alltoall_error(short_round),
            "slot 5 of node 0 holds what node 2 gives node 1 in the end");

  std::vector<Plan> hasty = plans_of(6);  // the second round without what the first has brought
  for (Plan& plan : hasty) plan.ops[2].waits_end = plan.ops[2].waits_begin;
  EXPECT_THAT(alltoall_error(hasty), HasSubstr("does not wait for"));

  std::vector<Plan> other_runs = plans_of(6);
  other_runs[2].ops[2].stride_bytes = 24;
  EXPECT_THAT(alltoall_error(other_runs), HasSubstr("differs from"));
}

// Runs that only interleave share nothing.
TEST(VerifierLayouts, TellsInterleavedRunsApart) {
  const auto plans_with = [](std::uint64_t offset_of_second) {
    std::vector<Plan> plans(2);
    for (auto [offset, channel] : {std::pair{std::uint64_t{0}, 0}, {offset_of_second, 1}}) {
      PlanOp op = send(1, offset, 8, channel);
      op.run_bytes = 2;
      op.stride_bytes = 4;
      plans[0].add(op);
      op.kind = OpKind::kReceive;
      op.peer = 0;
      plans[1].add(op);
    }
    return plans;
  };
  Scenario scenario = scenario_of(2);
  EXPECT_EQ(verify_plans(plans_with(2), scenario).error, "");
  EXPECT_THAT(verify_plans(plans_with(1), scenario).error, HasSubstr("does not wait for"));
  EXPECT_THAT(verify_plans(plans_with(0), scenario).error, HasSubstr("does not wait for"));
  std::vector<Plan> touching = plans_with(2);
  touching[0].ops[0].stride_bytes = 2;
  EXPECT_THAT(verify_plans(touching, scenario).error, HasSubstr("overlap or touch"));
}

TEST(VerifierLayouts, KnowsBuffersOfEachNodesOwn) {
  // Node 0 gives node 1 three bytes, node 1 gives node 0 five; own blocks of 2 and 1 bytes.
  Scenario scenario = scenario_of(2);
  scenario.collective = Collective::kAlltoall;
  scenario.sizes = {2, 3, 5, 1};
  std::vector<Plan> plans(2);
  for (Plan& plan : plans) plan.layout = BufferLayout::kOwnBuffers;
  plans[0].add(send(1, 2, 3));
  plans[0].add(receive(1, kTakenBegin + 2, 5));
  plans[1].add(receive(0, kTakenBegin + 0, 3));
  plans[1].add(send(0, 0, 5));
  EXPECT_EQ(verify_plans(plans, scenario).error, "");

  std::vector<Plan> wrong_block = plans;
  wrong_block[0].ops[0].offset = 1;
  EXPECT_EQ(verify_plans(wrong_block, scenario).error,
            "node 0 sends to node 1 at 1 to 4, where the block is at 2 to 5");
  std::vector<Plan> in_send_buffer = plans;
  in_send_buffer[1].ops[0].offset = 0;
  EXPECT_THAT(verify_plans(in_send_buffer, scenario).error, HasSubstr("receives from node 0"));
  std::vector<Plan> incomplete = plans;
  for (auto [node, op] : {std::pair{0u, 1u}, {1u, 1u}}) --incomplete[node].ops[op].bytes;
  EXPECT_EQ(verify_plans(incomplete, scenario).error, "node 0 never receives byte 9");

  scenario.sizes.pop_back();
  EXPECT_THAT(verify_plans(plans, scenario).error, HasSubstr("3 sizes for 2 nodes"));
  scenario.sizes.clear();
  EXPECT_THAT(verify_plans(plans, scenario).error, HasSubstr("need the sizes"));
}

}  // namespace
}  // namespace mpiactor::inter
