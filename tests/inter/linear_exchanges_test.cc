// Exchanges in which nothing is passed on: blocks of any size, order of combining, and slots.
#include <gtest/gtest.h>

#include <vector>

#include "inter/algorithms.h"
#include "inter/exchange_plan.h"

namespace mpiactor::inter {
namespace {

std::vector<const PlanOp*> ops_of(const Plan& plan, OpKind kind) {
  std::vector<const PlanOp*> found;
  for (const PlanOp& op : plan.ops) {
    if (op.kind == kind) found.push_back(&op);
  }
  return found;
}

TEST(LinearExchanges, BlocksBeginWhereTheCutsSay) {
  const std::uint64_t cuts[] = {0, 5, 5, 30};
  const PlanInput input{.shape = Shape::line(3), .bytes = 30, .node = 0, .cuts = cuts};
  const Plan gather = allgather_linear(input);
  const auto received = ops_of(gather, OpKind::kReceive);
  ASSERT_EQ(received.size(), 1u) << "node 1 gives nothing";
  EXPECT_EQ(received[0]->peer, 2);
  EXPECT_EQ(received[0]->offset, 5u);
  EXPECT_EQ(received[0]->bytes, 25u);
  const auto sent = ops_of(gather, OpKind::kSend);
  ASSERT_EQ(sent.size(), 2u);
  for (const PlanOp* op : sent) EXPECT_EQ(op->end(), 5u);

  const Plan scatter = reduce_scatter_linear(input);
  ASSERT_EQ(ops_of(scatter, OpKind::kSend).size(), 1u);
  EXPECT_EQ(ops_of(scatter, OpKind::kSend)[0]->bytes, 25u);
  const auto combined = ops_of(scatter, OpKind::kReceiveReduce);
  ASSERT_EQ(combined.size(), 2u);
  for (const PlanOp* op : combined) EXPECT_EQ(op->end(), 5u);
}

TEST(LinearExchanges, NotAllSendToTheSameNodeFirst) {
  for (int node = 0; node < 5; ++node) {
    const Plan plan = allreduce_linear({.shape = Shape::line(5), .bytes = 8, .node = node});
    EXPECT_EQ(ops_of(plan, OpKind::kSend).front()->peer, (node + 1) % 5);
    int before = -1;
    for (const PlanOp* op : ops_of(plan, OpKind::kReceiveReduce)) {
      EXPECT_GT(op->peer, before) << "combined in the order of the nodes";
      before = op->peer;
    }
  }
}

TEST(LinearExchanges, MayBeCombinedAsTheyCome) {
  const Plan ordered =
      reduce_linear({.shape = Shape::line(4), .root_node = 2, .bytes = 8, .node = 2});
  ASSERT_EQ(ordered.ops.size(), 3u);
  EXPECT_TRUE(ordered.waits_of(ordered.ops[0]).empty());
  EXPECT_EQ(ordered.waits_of(ordered.ops[2]).size(), 1u);
  const Plan free = combined_as_it_comes(ordered);
  ASSERT_EQ(free.ops.size(), 3u);
  for (const PlanOp& op : free.ops) EXPECT_TRUE(free.waits_of(op).empty());
}

// Bytes [0, 40) are the vector, [100, 140) the result, node i's slot begins at 200 + 10 i.
TEST(LinearExchanges, InSlotsNothingIsReceivedOverWhatIsSent) {
  const Plan plan =
      in_slots(allreduce_shares({.shape = Shape::line(4), .bytes = 40, .node = 1}), 100,
               [](int node) { return static_cast<std::uint64_t>(200 + 10 * node); });
  EXPECT_TRUE(ops_of(plan, OpKind::kReceiveReduce).empty());
  std::vector<std::uint64_t> vector;
  std::vector<std::uint64_t> result;
  for (const PlanOp* op : ops_of(plan, OpKind::kSend)) {
    EXPECT_EQ(op->bytes, 10u);
    const bool is_first = plan.waits_of(*op).empty();
    (is_first ? vector : result).push_back(op->offset);
    for (const std::uint32_t wait : plan.waits_of(*op)) EXPECT_GE(plan.ops[wait].offset, 200u);
    if (!is_first) {
      EXPECT_EQ(plan.waits_of(*op).size(), 3u) << "all slots";
    }
  }
  EXPECT_EQ(vector, (std::vector<std::uint64_t>{20, 30, 0}));
  EXPECT_EQ(result, (std::vector<std::uint64_t>{110, 110, 110}));
  std::vector<std::uint64_t> received;
  for (const PlanOp* op : ops_of(plan, OpKind::kReceive)) {
    EXPECT_TRUE(plan.waits_of(*op).empty());
    received.push_back(op->offset);
  }
  EXPECT_EQ(received, (std::vector<std::uint64_t>{200, 220, 230, 100, 120, 130}));
}

TEST(LinearExchanges, InSlotsOneRoundEndsWithTheVectors) {
  const Plan plan =
      in_slots(allreduce_linear({.shape = Shape::line(3), .bytes = 8, .node = 2}), 100,
               [](int node) { return static_cast<std::uint64_t>(200 + 8 * node); });
  ASSERT_EQ(plan.ops.size(), 4u);
  EXPECT_TRUE(plan.waits.empty());
  for (const PlanOp* op : ops_of(plan, OpKind::kSend)) EXPECT_EQ(op->offset, 0u);
}

}  // namespace
}  // namespace mpiactor::inter
