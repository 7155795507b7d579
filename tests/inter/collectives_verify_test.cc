// Reductions, allgather and alltoall under the verifier: every node count up to 40 and random
// shapes, roots, sizes, segments and interleavings.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

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
