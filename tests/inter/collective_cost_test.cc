// Predicted times of reductions and exchanges against values worked out by hand, and the traffic
// that they are made of against routes.
#include "inter/collective_cost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <string_view>
#include <vector>

#include "inter/registry.h"
#include "inter/routes.h"
#include "inter/traffic.h"

namespace mpiactor::inter {
namespace {

Shape shape_of(int x, int y = 1, int z = 1) { return Shape{{x, y, z}, {true, true, true}}; }

// Against the links counted one by one, on shapes and with peers at random.
TEST(Traffic, IsThatOfTheRoutes) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  const auto below = [&random](int limit) {
    return static_cast<int>(random() % static_cast<std::uint64_t>(limit));
  };
  for (int trial = 0; trial < 50; ++trial) {
    Shape shape;
    for (int axis = 0; axis < 3; ++axis) {
      shape.extent[axis] = 1 + below(6);
      shape.wraps[axis] = below(2) == 0;
    }
    const auto nodes = static_cast<int>(shape.nodes());
    std::vector<int> peers;
    for (int node = 0; node < nodes; ++node) peers.push_back(below(nodes));
    const auto peer = [&](int node) { return peers[static_cast<std::size_t>(node)]; };
    std::map<std::int64_t, int> loads;
    int longest = 1;
    int busiest = 0;
    for (int node = 0; node < nodes; ++node) {
      longest = std::max(longest, hops(shape, node, peer(node)));
      for_each_link(shape, node, peer(node),
                    [&](std::int64_t link) { busiest = std::max(busiest, ++loads[link]); });
    }
    const Traffic traffic = traffic_of(shape, peer);
    EXPECT_EQ(traffic.hops, longest);
    EXPECT_EQ(traffic.load, busiest);
  }
}

// As CollectiveModel's functions.
std::optional<double> reduce_us(std::string_view algorithm, const Shape& shape, std::uint64_t bytes,
                                std::uint64_t segment_bytes, const LinkModel& link) {
  return CollectiveModel(shape, link).reduce_us(algorithm, bytes, segment_bytes);
}
std::optional<double> allreduce_us(std::string_view algorithm, const Shape& shape,
                                   std::uint64_t bytes, std::uint64_t segment_bytes,
                                   const LinkModel& link) {
  return CollectiveModel(shape, link).allreduce_us(algorithm, bytes, segment_bytes);
}
std::optional<double> allgather_us(std::string_view algorithm, const Shape& shape,
                                   std::uint64_t bytes, const LinkModel& link) {
  return CollectiveModel(shape, link)
      .allgather_us(algorithm, bytes, bytes * static_cast<std::uint64_t>(shape.nodes()));
}
std::optional<double> alltoall_us(std::string_view algorithm, const Shape& shape,
                                  std::uint64_t bytes, const LinkModel& link,
                                  std::uint64_t segment_bytes = 16 << 10) {
  return CollectiveModel(shape, link).alltoall_us(algorithm, bytes, segment_bytes);
}

TEST(CollectiveCost, AgainstHandComputedValues) {
  LinkModel link{2.0, 1'000};
  link.reduce_mbps = 500;
  // 3 rounds of 2 + 4 + 8.
  EXPECT_DOUBLE_EQ(*reduce_us("binomial", shape_of(8), 4'000, 4'000, link), 42);
  // 7 steps of 2 + 1 + 2, and three more segments, one under way at a time.
  EXPECT_DOUBLE_EQ(*reduce_us("chain", shape_of(8), 4'000, 1'000, link), 35 + 3 * 3);
  // 6 x 2 + 7/8 (2 x 4 + 8).
  EXPECT_DOUBLE_EQ(*reduce_us("rabenseifner", shape_of(8), 4'000, 4'000, link), 26);
  EXPECT_DOUBLE_EQ(*allreduce_us("recdoubling", shape_of(8), 4'000, 4'000, link), 42);
  EXPECT_DOUBLE_EQ(*allreduce_us("rabenseifner", shape_of(8), 4'000, 4'000, link), 26);
  // Folding in and out: 2 + 4 + 8 and 2 + 4; two rounds among 4.
  EXPECT_DOUBLE_EQ(*allreduce_us("recdoubling", shape_of(5), 4'000, 4'000, link), 28 + 20);
  // 14 x 2 + 7/8 (8 + 8).
  EXPECT_DOUBLE_EQ(*allreduce_us("ring", shape_of(8), 4'000, 1'000, link), 42);
  // There 3 rounds of 2 + 4 + 8, 2 + 2 + 4, 2 + 1 + 2, and back without combining: 40. The last of
  // three ways waits for 2 x 8; a node combines for 42 between the first transfer and the way back.
  const double swing_us = 40 + both(2 * 8, 6 + 42 + 13 - 40, 4);
  EXPECT_DOUBLE_EQ(*allreduce_us("swing", shape_of(2, 2, 2), 24'000, 24'000, link), swing_us);
  // 3 of 2 + 8 + 16, of which combining takes 3 x 48.
  EXPECT_DOUBLE_EQ(*allreduce_us("swingshort", shape_of(2, 2, 2), 24'000, 24'000, link),
                   78 + both(2 * 16, 10 + 144 - 78, 4));
  EXPECT_FALSE(allreduce_us("swing", shape_of(89), 24'000, 24'000, link));
  // The same way up; then to the root over three links.
  EXPECT_DOUBLE_EQ(*reduce_us("bine", shape_of(2, 2, 2), 24'000, 24'000, link), swing_us);
  // Down trees of depth 7, of which each of three has a third. Where they branch, a node combines
  // for four.
  EXPECT_DOUBLE_EQ(*reduce_us("trinaryx3", shape_of(4, 3, 2), 12'000, 1'000, link),
                   7 * 5 + 3 * 4 * 2);
  EXPECT_DOUBLE_EQ(*allreduce_us("trinaryx3", shape_of(4, 3, 2), 12'000, 1'000, link),
                   7 * (5 + 3) + 3 * 4 * 2);
  // 3 x 2 + 7 x 4; 7 x (2 + 4).
  EXPECT_DOUBLE_EQ(*allgather_us("bruck", shape_of(8), 4'000, link), 34);
  EXPECT_DOUBLE_EQ(*allgather_us("recdoubling", shape_of(8), 4'000, link), 34);
  // Nine nodes: rounds of 1, 2, 4 and 1 blocks; of 1, 2, 3 and 5.
  EXPECT_DOUBLE_EQ(*allgather_us("bruck", shape_of(9), 4'000, link), 8 + 8 * 4);
  EXPECT_DOUBLE_EQ(*allgather_us("recdoubling", shape_of(9), 4'000, link), 8 + 11 * 4);
  EXPECT_DOUBLE_EQ(*allgather_us("ring", shape_of(8), 4'000, link), 42);
  // A ring of 32: as many messages over a link as their way has hops; more than one block each
  // other all round.
  LinkModel torus = link;
  torus.network = NetworkKind::kTorus;
  EXPECT_DOUBLE_EQ(*allgather_us("bruck", shape_of(32), 4'000, torus),
                   5 * 2 + 4 * (1 + 1.45 * (2 * 2 + 4 * 4 + 8 * 8 + 16 * 16)));
  EXPECT_DOUBLE_EQ(*allgather_us("multiring3d", shape_of(32), 4'000, torus), 31 * (2 + 4 / 2.0));
  // A ring of 5 in one round each way, of eight messages of 1,000, whose routes block each other:
  // of each way 3 over the busiest link. A node combines for 16, of which each way sees half.
  const double round_us = 2 + 2 * 3 * (1 + std::log2(6) / 4);
  EXPECT_DOUBLE_EQ(*allreduce_us("swing", shape_of(5), 10'000, 10'000, torus),
                   2 * round_us + 8 + both(8, 8, 4));
  // Four ways on 4 x 3: five blocks wait for each other, six follow.
  EXPECT_DOUBLE_EQ(*allgather_us("multiring3d", shape_of(4, 3), 4'000, link), 5 * 3 + 6 * 1);
  Shape line = shape_of(32);
  line.wraps[0] = false;
  EXPECT_DOUBLE_EQ(*allgather_us("multiring3d", line, 4'000, torus), 31 * (2 + 4));
  // Of a folded ring every way has two hops, of a ring in the nodes' order one has 31.
  LinkModel hops = torus;
  hops.hop_us = 0.5;
  EXPECT_DOUBLE_EQ(*allgather_us("multiring3d", line, 4'000, hops), 31 * (2 + 0.5 + 4));
  EXPECT_DOUBLE_EQ(*allgather_us("ring", line, 4'000, hops), 31 * (2 + 4) + 30 * 0.5);
  EXPECT_DOUBLE_EQ(*alltoall_us("pairwise", shape_of(8), 4'000, link), 42);
  EXPECT_DOUBLE_EQ(*alltoall_us("linear", shape_of(8), 4'000, link), 2 + 7 * 4.18);
  // A torus of 2 x 8 x 2: its longest axis carries 32 x 8 / 8 blocks over a link; a node sends
  // eight over each of its own. On a line twice as many, which do not block each other.
  EXPECT_DOUBLE_EQ(*alltoall_us("doublespread", shape_of(2, 8, 2), 400'000, link),
                   both(8 * 402, 2 + 2.4 * 32 * 400, 3));
  EXPECT_DOUBLE_EQ(*alltoall_us("doublespread", line, 400'000, torus),
                   both(16 * 402, 2 + 2 * 128 * 400, 3));
  // A ring of 5 in turn: over 1, 2, 2 and 1 links. Longer ones block their messages more.
  EXPECT_DOUBLE_EQ(*alltoall_us("linear", shape_of(5), 400'000, torus), 2 + 1.1 * 6 * 400);
  EXPECT_DOUBLE_EQ(*alltoall_us("linear", shape_of(31), 400'000, torus), 2 + 1.8 * 240 * 400);
  // Where messages wait for their receivers they meet on a line, as far as they are not cut; not on
  // an axis of two, whose links have one message each. A segment costs the processor 0.18.
  torus.eager_bytes_near = 1'000;
  EXPECT_DOUBLE_EQ(*alltoall_us("linear", line, 400'000, torus, 400'000), 2 + 2 * 256 * 400);
  EXPECT_DOUBLE_EQ(*alltoall_us("linear", line, 400'000, torus, 100'000), 2 + 1.25 * 256 * 400);
  EXPECT_DOUBLE_EQ(*alltoall_us("linear", shape_of(2, 2, 2), 400'000, torus, 100'000),
                   2 + 7 * (4 * 0.18 + 400));
}

// Segments of one step overlap those of the next, as far as the window lets them.
TEST(CollectiveCost, GainsBySegments) {
  LinkModel link{2.0, 1'000};
  link.reduce_mbps = 500;
  link.window = 2;
  // Two segments: one's way is 2 + 2 + 4 a step, and the other one is combined behind it. Combining
  // alone takes as long: 3 x 8 after the first transfer.
  const double behind_us = both(4, 4, 4);
  EXPECT_DOUBLE_EQ(*reduce_us("binomial", shape_of(8), 4'000, 2'000, link), 3 * 8 + behind_us);
  EXPECT_DOUBLE_EQ(*allreduce_us("recdoubling", shape_of(8), 4'000, 2'000, link),
                   3 * 8 + behind_us);
  // Folded in the same, out 2 + 2.
  EXPECT_DOUBLE_EQ(*allreduce_us("recdoubling", shape_of(5), 4'000, 2'000, link),
                   3 * 8 + 4 + behind_us);
  // Blocks of 500: 2 + 0.25 + 0.5, later 2 + 0.25; the second segment half of that behind.
  EXPECT_DOUBLE_EQ(*allreduce_us("ring", shape_of(8), 4'000, 250, link), 7 * (2.75 + 2.25) + 1.125);
  // Folded in as above; then steps of 1,000 and 2,000 there and back.
  EXPECT_DOUBLE_EQ(*reduce_us("rabenseifner", shape_of(5), 4'000, 2'000, link),
                   8 + 4 + (5 + 3) + (8 + 4));
  // One segment under way at a time: the second one leaves when the first has come, just before
  // that one goes on.
  link.window = 1;
  EXPECT_DOUBLE_EQ(*allreduce_us("ring", shape_of(8), 4'000, 250, link),
                   7 * (2.75 + 2.25) + 14 * 0.25 + 2.25);
  // Rounds of 1, 2 and 4 blocks, cut into blocks.
  EXPECT_DOUBLE_EQ(*CollectiveModel(shape_of(8), link).allgather_us("bruck", 4'000, 4'000),
                   3 * 6 + both(2 * 4 + 3 * 6, 2 + 7 * 4 - 3 * 6, 4));
  // Never less than a node's own link, nor than combining: 14 blocks of 500, 7 at half the rate.
  link.latency_us = 0.1;
  const double way_us = 7 * 0.13 + 7 * 0.11;
  EXPECT_NEAR(
      *allreduce_us("ring", shape_of(8), 4'000, 10, link),
      way_us + both(both(14 * 0.01 + 49 * 0.11, 7.1 - way_us, 4), 0.11 + 7 + 7 * 0.11 - way_us, 4),
      1e-9);
}

// A handshake that has begun with the call is over when later rounds begin.
TEST(CollectiveCost, ReceiversAnswerOnceInACall) {
  LinkModel link{2.0, 1'000};
  link.rendezvous_us = 5;
  link.eager_bytes_near = link.eager_bytes_far = 1'000;
  EXPECT_DOUBLE_EQ(*reduce_us("binomial", shape_of(8), 4'000, 4'000, link), 5 + 3 * 6);
  EXPECT_DOUBLE_EQ(*allgather_us("bruck", shape_of(8), 1'000, link), 3 * 2 + 7);
}

// Exchanges in which nothing is passed on are chosen by rules, since what they cost on a torus is
// not modelled.
TEST(CollectiveCost, EveryAlgorithmHasATimeButThoseThatRulesChoose) {
  const LinkModel link{2.0, 1'000};
  const Shape shape = shape_of(4, 3, 2);
  for (const Algorithm& algorithm : algorithms()) {
    std::optional<double> time = 1.0;
    if (algorithm.collective == Collective::kReduce) {
      time = reduce_us(algorithm.name, shape, 24'000, 1'000, link);
    } else if (algorithm.collective == Collective::kAllreduce) {
      time = allreduce_us(algorithm.name, shape, 24'000, 1'000, link);
    } else if (algorithm.collective == Collective::kAllgather) {
      time = allgather_us(algorithm.name, shape, 1'000, link);
    } else if (algorithm.collective == Collective::kAlltoall) {
      time = alltoall_us(algorithm.name, shape, 1'000, link);
    }
    const std::string name = algorithm.name;
    const bool is_chosen_by_rules = (name == "linear" || name == "shares") &&
                                    algorithm.collective != Collective::kBcast &&
                                    algorithm.collective != Collective::kAlltoall &&
                                    algorithm.collective != Collective::kReduceScatter;
    ASSERT_EQ(time.has_value(), !is_chosen_by_rules)
        << collective_name(algorithm.collective) << " " << name;
    if (is_chosen_by_rules) continue;
    EXPECT_GT(*time, 0) << algorithm.name;
  }
  EXPECT_FALSE(reduce_us("nonsense", shape, 1, 1, link));
  EXPECT_FALSE(allreduce_us("nonsense", shape, 1, 1, link));
  EXPECT_FALSE(allgather_us("nonsense", shape, 1, link));
  EXPECT_FALSE(alltoall_us("nonsense", shape, 1, link));
}

}  // namespace
}  // namespace mpiactor::inter
