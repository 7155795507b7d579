// Plans in two parts: nothing is lost, the first part waits for nothing that comes, the rest does
// not wait for the first, and what the rest overwrites is copied. For all algorithms that nodes run
// together, on many numbers of nodes.
#include "inter/split_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "inter/algorithms.h"
#include "inter/exchange_plan.h"
#include "inter/registry.h"
#include "tests/inter/operations.h"

namespace mpiactor::inter {
namespace {

PlanInput input_of(Collective collective, const Shape& shape, int node) {
  const auto nodes = static_cast<std::uint64_t>(shape.nodes());
  PlanInput input;
  input.shape = shape;
  input.node = node;
  input.bytes = collective == Collective::kAlltoall ? nodes * nodes * 24 : nodes * 40 + 8;
  if (collective == Collective::kAllgather) input.bytes = nodes * 40;
  input.granule_bytes = collective == Collective::kAlltoall ? 1 : 8;
  return input;
}

// Calls visit(algorithm, plan) for all nodes' plans on this shape.
template <typename Visit>
void for_each_plan(const Shape& shape, Visit visit) {
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective == Collective::kBcast || !algorithm.supports(shape)) continue;
    for (int node = 0; node < shape.nodes(); ++node) {
      visit(algorithm, algorithm.make_plan(input_of(algorithm.collective, shape, node)));
    }
  }
}

using Key = std::tuple<OpKind, int, std::uint64_t, std::uint64_t, int, int>;
Key key_of(const PlanOp& op, std::uint64_t offset) {
  return {op.kind, op.peer, offset, op.bytes, op.channel, op.stream};
}

bool overlap(const PlanOp& a, const PlanOp& b) {
  return a.offset < b.reach() && b.offset < a.reach();
}

void check(const std::string& name, const Plan& plan) {
  const SplitPlan split = split_plan(plan);
  std::multiset<Key> whole;
  std::multiset<Key> parts;
  std::map<std::pair<int, int>, int> sends;
  for (const PlanOp& op : plan.ops) {
    whole.insert(key_of(op, op.offset));
    sends[{op.peer, op.channel}] += op.kind == OpKind::kSend;
  }
  bool must_copy = false;
  for (const PlanOp& op : split.first.ops) {
    PlanOp in_place = op;
    in_place.offset += split.copied.offset;
    parts.insert(key_of(op, in_place.offset));
    EXPECT_EQ(op.kind, OpKind::kSend) << name;
    EXPECT_EQ((sends[{op.peer, op.channel}]), 1) << name;
    for (const PlanOp& other : split.rest.ops) {
      must_copy |= other.kind != OpKind::kSend && overlap(other, in_place);
    }
    EXPECT_TRUE(split.copied.bytes == 0 || op.reach() <= split.copied.bytes) << name;
  }
  for (const PlanOp& op : split.rest.ops) parts.insert(key_of(op, op.offset));
  EXPECT_EQ(whole, parts) << name;
  EXPECT_EQ(split.copied.bytes != 0, must_copy) << name;
  for (const Plan* const part : {&split.first, &split.rest}) {
    EXPECT_EQ(part->layout, plan.layout) << name;
    for (std::size_t i = 0; i < part->ops.size(); ++i) {
      for (const std::uint32_t wait : part->waits_of(part->ops[i])) EXPECT_LT(wait, i) << name;
    }
  }
  // What waits for a receive still does.
  for (std::size_t i = 0, at = 0; i < plan.ops.size(); ++i) {
    const auto waits = plan.waits_of(plan.ops[i]);
    const auto received = std::count_if(waits.begin(), waits.end(), [&](std::uint32_t wait) {
      return plan.ops[wait].kind != OpKind::kSend;
    });
    if (at == split.rest.ops.size() || key_of(plan.ops[i], plan.ops[i].offset) !=
                                           key_of(split.rest.ops[at], split.rest.ops[at].offset)) {
      EXPECT_EQ(received, 0) << name << ", operation " << i << " of the first part";
      continue;
    }
    const auto left = split.rest.waits_of(split.rest.ops[at++]);
    EXPECT_EQ(received, std::count_if(left.begin(), left.end(),
                                      [&](std::uint32_t wait) {
                                        return split.rest.ops[wait].kind != OpKind::kSend;
                                      }))
        << name << ", operation " << i;
  }
}

TEST(SplitPlan, PartsOfAllAlgorithms) {
  std::vector<Shape> shapes;
  for (int nodes = 2; nodes <= 20; ++nodes) shapes.push_back(Shape::line(nodes));
  shapes.push_back({{3, 4, 1}, {true, true, true}});
  shapes.push_back({{3, 3, 3}, {true, true, true}});
  int plans = 0;
  int with_first = 0;
  for (const Shape& shape : shapes) {
    for_each_plan(shape, [&](const Algorithm& algorithm, const Plan& plan) {
      check(std::string(algorithm.name) + " on " + std::to_string(shape.nodes()) + " nodes", plan);
      ++plans;
      with_first += !split_plan(plan).first.ops.empty();
    });
  }
  EXPECT_GT(plans, 1'000);
  EXPECT_GT(with_first, plans / 2);
}

// What passes nothing on may be taken in from the beginning: exchanges of all with all alone.
TEST(Rounds, OfAllAlgorithms) {
  for (int nodes = 2; nodes <= 9; ++nodes) {
    for_each_plan(Shape::line(nodes), [&](const Algorithm& algorithm, const Plan& plan) {
      const SplitPlan split = split_plan(plan);
      const std::optional<Rounds> rounds = find_rounds(split);
      const bool only_receives =
          std::all_of(split.rest.ops.begin(), split.rest.ops.end(), [&](const PlanOp& op) {
            return op.kind == OpKind::kReceive && !op.is_strided() &&
                   split.rest.waits_of(op).empty();
          });
      const std::string name =
          std::string(algorithm.name) + " on " + std::to_string(nodes) + " nodes";
      if (only_receives && split.copied.bytes == 0) {
        ASSERT_TRUE(rounds) << name;
        EXPECT_EQ(rounds->receives.ops.size(), split.rest.ops.size()) << name;
        EXPECT_TRUE(rounds->sends.ops.empty()) << name;
      }
      const bool moves_alone = algorithm.collective == Collective::kAllgather ||
                               algorithm.collective == Collective::kAlltoall;
      EXPECT_TRUE(rounds || !moves_alone || std::string(algorithm.name) != "linear") << name;
      // Combining in place, or putting what was packed where something is sent from.
      for (const PlanOp& op : split.rest.ops) EXPECT_FALSE(rounds && op.takes_ahead()) << name;
    });
  }
}

TEST(Rounds, OfAnExchangeInTwo) {
  // Node 0 of three: gets contributions to its share, sends the combined one, gets the others'.
  const Plan shares =
      allreduce_shares({.shape = Shape::line(3), .bytes = 30, .node = 0, .granule_bytes = 10});
  const auto slot = [](int node) { return static_cast<std::uint64_t>(50 + 10 * node); };
  const SplitPlan split = split_plan(in_slots(shares, 30, slot));
  EXPECT_EQ(split.first.ops.size(), 2u);
  const std::optional<Rounds> rounds = find_rounds(split);
  ASSERT_TRUE(rounds);
  EXPECT_EQ(rounds->is_first, (std::vector<bool>{true, true, false, false}));
  ASSERT_EQ(rounds->sends.ops.size(), 2u);
  EXPECT_EQ(rounds->sends.ops[0].offset, 30u);
  // A send that waits for a part of the first round only passes something on.
  SplitPlan passing = split;
  --passing.rest.ops.back().waits_end;
  EXPECT_FALSE(find_rounds(passing));
}

// A receiver must not need to know which process of a node sends.
TEST(SplitPlan, ChannelsTellPeersApart) {
  for_each_plan(Shape::line(kMostSplitNodes), [](const Algorithm& algorithm, const Plan& plan) {
    std::map<int, int> peer_of;
    for (const PlanOp& op : plan.ops) {
      if (op.kind == OpKind::kSend) continue;
      const auto [entry, is_new] = peer_of.try_emplace(op.channel, op.peer);
      EXPECT_EQ(entry->second, op.peer) << algorithm.name << ", channel " << op.channel;
    }
  });
}

// Node 0 gives first, then takes what overwrites it, then passes that on.
TEST(SplitPlan, WhatIsOverwrittenIsCopied) {
  Plan plan;
  const std::uint32_t given = plan.add(send(1, 8, 4, 0));
  const std::uint32_t taken = plan.add(receive(1, 8, 4, 0), {given});
  plan.add(send(2, 8, 4, 1), {taken});
  const SplitPlan split = split_plan(plan);
  ASSERT_EQ(split.first.ops.size(), 1u);
  EXPECT_EQ(split.first.ops[0].offset, 0u);
  EXPECT_EQ(split.copied.offset, 8u);
  EXPECT_EQ(split.copied.bytes, 4u);
  ASSERT_EQ(split.rest.ops.size(), 2u);
  EXPECT_TRUE(split.rest.waits_of(split.rest.ops[0]).empty());
  EXPECT_EQ(split.rest.waits_of(split.rest.ops[1]).size(), 1u);
}

TEST(SplitPlan, ASharedChannelStaysWithOneProcess) {
  Plan plan;
  plan.add(send(1, 0, 4, 0));
  const std::uint32_t taken = plan.add(receive(1, 4, 4, 1));
  plan.add(send(1, 4, 4, 0), {taken});
  plan.add(send(2, 0, 4, 2));
  const SplitPlan split = split_plan(plan);
  ASSERT_EQ(split.first.ops.size(), 1u);
  EXPECT_EQ(split.first.ops[0].peer, 2);
  EXPECT_EQ(split.copied.bytes, 0u);
}

}  // namespace
}  // namespace mpiactor::inter
