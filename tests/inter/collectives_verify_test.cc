// Reductions, allgather and alltoall under the verifier: every node count up to 40 and random
// shapes, roots, sizes, segments and interleavings.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string_view>

#include "inter/verifier.h"

namespace mpiactor::inter {
namespace {

std::vector<const Algorithm*> all_but_broadcasts() {
  std::vector<const Algorithm*> rows;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != Collective::kBcast) rows.push_back(&algorithm);
  }
  return rows;
}

class Collectives : public testing::TestWithParam<const Algorithm*> {
 protected:
  std::uint64_t between(std::uint64_t low, std::uint64_t high) {
    return std::uniform_int_distribution<std::uint64_t>(low, high)(random_);
  }

  void expect_verified(const Shape& shape) {
    if (!GetParam()->supports(shape)) return;
    Scenario scenario;
    scenario.shape = shape;
    const auto nodes = static_cast<std::uint64_t>(shape.nodes());
    scenario.root_node = static_cast<int>(between(0, nodes - 1));
    const std::uint64_t tops[] = {3, 200, 1 << 20};
    scenario.bytes = between(1, tops[between(0, 2)]);
    if (GetParam()->collective == Collective::kAlltoall) scenario.bytes *= nodes * nodes;
    const bool whole_blocks = GetParam()->collective == Collective::kAlltoall;
    const std::uint64_t typical = whole_blocks ? scenario.bytes / nodes / nodes : scenario.bytes;
    scenario.segment_bytes = std::max<std::uint64_t>(1, typical / between(1, 6));
    scenario.segments_in_flight = static_cast<int>(between(1, 3));
    scenario.granule_bytes = between(0, 2) == 0 ? 8 : 1;
    scenario.seed = random_();
    const VerifyReport report = verify_algorithm(*GetParam(), scenario);
    ASSERT_EQ(report.error, "") << "seed " << seed_;
    if (GetParam()->takes_sizes) expect_verified_with_sizes(scenario);
  }

  // Each node's block begins anywhere, so some are empty.
  void expect_verified_with_cuts(Scenario scenario) {
    for (std::int64_t node = 1; node < scenario.shape.nodes(); ++node) {
      scenario.cuts.push_back(between(0, scenario.bytes));
    }
    scenario.cuts.push_back(0);
    scenario.cuts.push_back(scenario.bytes);
    std::sort(scenario.cuts.begin(), scenario.cuts.end());
    const VerifyReport report = verify_algorithm(*GetParam(), scenario);
    ASSERT_EQ(report.error, "") << "seed " << seed_;
  }

  // Blocks of random sizes, half of them empty, some nodes giving or taking nothing at all.
  void expect_verified_with_sizes(Scenario scenario) {
    if (GetParam()->collective != Collective::kAlltoall) return expect_verified_with_cuts(scenario);
    const auto nodes = static_cast<std::size_t>(scenario.shape.nodes());
    const std::uint64_t largest = between(1, 5'000);
    std::vector<bool> gives(nodes);
    std::vector<bool> takes(nodes);
    for (std::size_t node = 0; node < nodes; ++node) {
      gives[node] = between(0, 5) > 0;
      takes[node] = between(0, 5) > 0;
    }
    std::uint64_t most_sent = 0;
    for (std::size_t from = 0; from < nodes; ++from) {
      std::uint64_t sent = 0;
      for (std::size_t to = 0; to < nodes; ++to) {
        const bool some = gives[from] && takes[to] && between(0, 1) == 0;
        scenario.sizes.push_back(some ? between(1, largest) : 0);
        if (from != to) sent += scenario.sizes.back();
      }
      most_sent = std::max(most_sent, sent);
    }
    scenario.segment_bytes = std::max<std::uint64_t>(1, largest / between(1, 6));
    const VerifyReport report = verify_algorithm(*GetParam(), scenario);
    ASSERT_EQ(report.error, "") << "seed " << seed_;
    EXPECT_EQ(report.max_sent_bytes, most_sent) << "seed " << seed_;
  }

  const std::uint64_t seed_ = std::random_device()();
  std::mt19937_64 random_{seed_};
};

TEST_P(Collectives, EveryNodeCount) {
  fmt::print("seed {}\n", seed_);
  for (int nodes = 1; nodes <= 40; ++nodes) {
    for (int round = 0; round < 3; ++round) {
      expect_verified(Shape::line(nodes));
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(Collectives, RandomShapes) {
  fmt::print("seed {}\n", seed_);
  for (int round = 0; round < 60; ++round) {
    Shape shape;
    for (int axis = 0; axis < 3; ++axis) {
      shape.extent[axis] = static_cast<int>(between(1, 4));
      shape.wraps[axis] = between(0, 2) > 0;
    }
    expect_verified(shape);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Collectives, testing::ValuesIn(all_but_broadcasts()),
                         [](const auto& row) {
                           return std::string(collective_name(row.param->collective)) + "_" +
                                  row.param->name;
                         });

VerifyReport measured(Collective collective, const char* name, const Shape& shape,
                      std::uint64_t bytes) {
  Scenario scenario;
  scenario.shape = shape;
  scenario.bytes = bytes;
  scenario.segment_bytes = bytes;
  const VerifyReport report = verify_algorithm(*find_algorithm(collective, name), scenario);
  EXPECT_EQ(report.error, "");
  return report;
}

int ceil_log2(int value) {
  int log = 0;
  while ((1 << log) < value) ++log;
  return log;
}

TEST(CollectiveMeasures, RoundsAndBytes) {
  for (int nodes = 2; nodes <= 33; ++nodes) {
    const Shape line = Shape::line(nodes);
    const auto n = static_cast<std::uint64_t>(nodes);
    const std::uint64_t bytes = 100 * n;
    const auto rounds = [&](Collective collective, const char* name) {
      return measured(collective, name, line, collective == Collective::kAlltoall ? n * n : bytes)
          .rounds;
    };
    EXPECT_EQ(rounds(Collective::kReduce, "chain"), nodes - 1);
    EXPECT_EQ(rounds(Collective::kReduce, "binomial"), ceil_log2(nodes));
    EXPECT_EQ(rounds(Collective::kAllreduce, "ring"), 2 * (nodes - 1));
    EXPECT_EQ(rounds(Collective::kAllgather, "ring"), nodes - 1);
    EXPECT_EQ(rounds(Collective::kAlltoall, "pairwise"), nodes - 1);
    EXPECT_EQ(measured(Collective::kAllreduce, "ring", line, bytes).max_sent_bytes,
              2 * 100 * (n - 1));
    EXPECT_EQ(measured(Collective::kAllgather, "ring", line, bytes).max_sent_bytes, 100 * (n - 1));
    // The last round of odd counts moves blocks that came earlier than in the round before.
    for (const char* name : {"bruck", "recdoubling"}) {
      const int depth = measured(Collective::kAllgather, name, line, bytes).depth;
      EXPECT_LE(depth, ceil_log2(nodes)) << name << nodes;
      EXPECT_GE(depth, ceil_log2(nodes + 1) - 1) << name << nodes;
    }
    EXPECT_EQ(measured(Collective::kAllgather, "bruck", line, bytes).max_sent_bytes, 100 * (n - 1));
    EXPECT_EQ(measured(Collective::kAlltoall, "linear", line, n * n).depth, 1);
    EXPECT_EQ(rounds(Collective::kAlltoall, "bruck"), ceil_log2(nodes));
  }
  for (int log = 1; log <= 5; ++log) {
    const Shape line = Shape::line(1 << log);
    const std::uint64_t bytes = 3'200;
    EXPECT_EQ(measured(Collective::kAllreduce, "recdoubling", line, bytes).rounds, log);
    const VerifyReport long_one = measured(Collective::kAllreduce, "rabenseifner", line, bytes);
    EXPECT_EQ(long_one.rounds, 2 * log);
    EXPECT_EQ(long_one.max_sent_bytes, 2 * (bytes - bytes / (std::uint64_t{1} << log)));
    EXPECT_EQ(measured(Collective::kReduce, "rabenseifner", line, bytes).rounds, 2 * log);
  }
}

// One message a round, of all blocks whose distance has the round's bit.
TEST(CollectiveMeasures, BruckSendsOneMessageARound) {
  const Algorithm& bruck = *find_algorithm(Collective::kAlltoall, "bruck");
  const Plan plan = bruck.make_plan({.shape = Shape::line(11), .bytes = 11 * 11 * 10, .node = 4});
  ASSERT_EQ(plan.ops.size(), 2u * 4);
  EXPECT_EQ(plan.layout, BufferLayout::kByDistance);
  const std::uint64_t slots[] = {5, 5, 4, 3};  // {1 3 5 7 9} {2 3 6 7 10} {4 5 6 7} {8 9 10}
  const int peers[] = {5, 6, 8, 1};
  for (std::size_t round = 0; round < 4; ++round) {
    const PlanOp& op = plan.ops[2 * round];
    EXPECT_EQ(op.kind, OpKind::kSend);
    EXPECT_EQ(op.peer, peers[round]);
    EXPECT_EQ(op.offset, 10u << round);
    EXPECT_EQ(op.bytes, 10 * slots[round]);
    EXPECT_EQ(op.run_bytes, 10u << round);
    EXPECT_EQ(op.reach(), round == 1 || round == 3 ? 110u : round == 0 ? 100u : 80u);
  }
}

TEST(CollectiveMeasures, BruckOnTheWholeOfKIsShort) {
  const std::uint64_t nodes = 48 * 36 * 48;
  const Plan plan = find_algorithm(Collective::kAlltoall, "bruck")
                        ->make_plan({.shape = {{48, 36, 48}, {true, true, true}},
                                     .bytes = nodes * nodes * 8,
                                     .node = 40'000});
  EXPECT_EQ(plan.ops.size(), 2u * 17);
  EXPECT_EQ(plan.waits.size(), 2u * 17 - 1);
  for (const PlanOp& op : plan.ops) EXPECT_LE(op.reach(), nodes * 8);
}

TEST(CollectiveMeasures, SizesComeFromRowAndColumnAlone) {
  const ByteRange gives[] = {{0, 7}, {7, 0}, {100, 5}};
  const ByteRange takes[] = {{0, 7}, {40, 3}, {20, 0}};
  const Plan plan = find_algorithm(Collective::kAlltoall, "linear")
                        ->make_plan({.shape = Shape::line(3), .gives = gives, .takes = takes});
  ASSERT_EQ(plan.ops.size(), 2u);
  EXPECT_EQ(plan.layout, BufferLayout::kOwnBuffers);
  EXPECT_EQ(plan.ops[0].kind, OpKind::kReceive);
  EXPECT_EQ(plan.ops[0].peer, 1);
  EXPECT_EQ(plan.ops[0].offset, kTakenBegin + 40);
  EXPECT_EQ(plan.ops[0].bytes, 3u);
  EXPECT_EQ(plan.ops[1].kind, OpKind::kSend);
  EXPECT_EQ(plan.ops[1].peer, 2);
  EXPECT_EQ(plan.ops[1].offset, 100u);
  EXPECT_EQ(plan.ops[1].bytes, 5u);
}

TEST(CollectiveMeasures, WhichTakeSizes) {
  for (const Algorithm& algorithm : algorithms()) {
    const std::string_view name = algorithm.name;
    bool expected = false;
    if (algorithm.collective == Collective::kAlltoall) expected = name != "bruck";
    if (algorithm.collective == Collective::kAllgather) expected = name == "linear";
    if (algorithm.collective == Collective::kAllreduce) expected = name == "shares";
    if (algorithm.collective == Collective::kReduceScatter) expected = true;
    EXPECT_EQ(algorithm.takes_sizes, expected) << name;
  }
}

// Everything at once, or in two rounds, and no more bytes than there must be.
TEST(CollectiveMeasures, LinearExchanges) {
  for (int nodes = 2; nodes <= 12; ++nodes) {
    const Shape line = Shape::line(nodes);
    const auto others = static_cast<std::uint64_t>(nodes - 1);
    const std::uint64_t bytes = 100 * (others + 1);
    const auto of = [&](Collective collective, const char* name) {
      return measured(collective, name, line, bytes);
    };
    EXPECT_EQ(of(Collective::kReduce, "linear").max_received_bytes, bytes * others);
    EXPECT_EQ(of(Collective::kReduce, "linear").max_sent_bytes, bytes);
    EXPECT_EQ(of(Collective::kAllreduce, "linear").max_sent_bytes, bytes * others);
    EXPECT_EQ(of(Collective::kAllreduce, "linear").depth, 1);
    EXPECT_EQ(of(Collective::kAllreduce, "shares").max_sent_bytes, 2 * 100 * others);
    EXPECT_EQ(of(Collective::kAllreduce, "shares").depth, 2);
    EXPECT_EQ(of(Collective::kReduceScatter, "linear").max_sent_bytes, 100 * others);
    EXPECT_EQ(of(Collective::kAllgather, "linear").max_received_bytes, 100 * others);
    EXPECT_EQ(of(Collective::kAllgather, "linear").depth, 1);
  }
}

// Combined as they come, or in another order on each node, vectors have not the same bits.
TEST(CollectiveMeasures, LinearAllreduceMustCombineInNodeOrder) {
  const Algorithm& linear = *find_algorithm(Collective::kAllreduce, "linear");
  std::vector<Plan> plans;
  for (int node = 0; node < 3; ++node) {
    plans.push_back(linear.make_plan({.shape = Shape::line(3), .bytes = 8, .node = node}));
  }
  Scenario scenario;
  scenario.collective = Collective::kAllreduce;
  scenario.shape = Shape::line(3);
  scenario.bytes = scenario.segment_bytes = 8;
  EXPECT_EQ(verify_plans(plans, scenario).error,
            "nodes 0 and 2 combine byte 0 in different orders");
  scenario.combines_in_node_order = true;
  EXPECT_EQ(verify_plans(plans, scenario).error, "");
}

TEST(CollectiveMeasures, TorusAlgorithms) {
  const Shape shape{{8, 6, 8}, {true, true, true}};
  const VerifyReport reduce = measured(Collective::kReduce, "trinaryx3", shape, 3'000);
  EXPECT_EQ(reduce.depth, 20);
  EXPECT_TRUE(reduce.links.disjoint());
  // Up one tree and down another may share a link; no more than these two.
  const VerifyReport both = measured(Collective::kAllreduce, "trinaryx3", shape, 3'000);
  EXPECT_LE(both.links.max_transfers, 2);
  const VerifyReport rings = measured(Collective::kAllgather, "multiring3d", shape, 384 * 4);
  EXPECT_EQ(rings.streams, 4);
  EXPECT_EQ(rings.depth, 8 - 1 + 6 - 1 + 8 - 1);
  EXPECT_EQ(rings.max_sent_bytes, 383u * 4);
  const Shape cube{{4, 4, 4}, {true, true, true}};
  EXPECT_EQ(measured(Collective::kAlltoall, "doublespread", cube, 64 * 64).streams, 6);
}

}  // namespace
}  // namespace mpiactor::inter
