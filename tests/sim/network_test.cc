#include "sim/network.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace mpiactor::sim {
namespace {

using inter::Shape;

std::vector<LinkId> route(const Topology& topology, std::uint32_t from, std::uint32_t to) {
  std::vector<LinkId> links;
  topology.route(from, to, &links);
  return links;
}

// Links of a node in the order +x, -x, +y, -y, +z, -z.
TEST(Topology, RoutesGoAlongXThenYThenZ) {
  const Topology topology(NetworkKind::kTorus, Shape{{4, 3, 5}, {true, true, true}});
  // (0,0,0) to (1,1,1).
  EXPECT_EQ(route(topology, 0, 1 + 4 * (1 + 3 * 1)),
            (std::vector<LinkId>{0 * 6 + 0, 1 * 6 + 2, 5 * 6 + 4}));
  // (0,0,0) to (3,2,4): one step downwards each.
  EXPECT_EQ(route(topology, 0, 3 + 4 * (2 + 3 * 4)),
            (std::vector<LinkId>{0 * 6 + 1, 3 * 6 + 3, 11 * 6 + 5}));
}

TEST(Topology, TiesGoUpwards) {
  const Topology topology(NetworkKind::kTorus, Shape::line(4));
  EXPECT_EQ(route(topology, 0, 2), (std::vector<LinkId>{0, 6}));
  EXPECT_EQ(route(topology, 3, 1), (std::vector<LinkId>{18, 0}));
}

TEST(Topology, MeshAxesDoNotWrap) {
  const Topology topology(NetworkKind::kTorus, Shape{{4, 4, 1}, {false, true, true}});
  EXPECT_EQ(topology.hops(0, 3), 3);
  EXPECT_EQ(topology.hops(0, 12), 1);
  EXPECT_EQ(route(topology, 3, 0), (std::vector<LinkId>{3 * 6 + 1, 2 * 6 + 1, 1 * 6 + 1}));
}

TEST(Topology, SwitchRoutesUseTheTwoEnds) {
  const Topology topology(NetworkKind::kSwitch, Shape::line(5));
  EXPECT_EQ(topology.hops(1, 4), 2);
  EXPECT_EQ(route(topology, 1, 4),
            (std::vector<LinkId>{1 * kMostLinksPerNode, 4 * kMostLinksPerNode + 1}));
}

TEST(Topology, RandomRoutesAreShortestAndConnected) {
  const unsigned seed = 20240611;
  SCOPED_TRACE(seed);
  std::mt19937 generator(seed);
  for (int trial = 0; trial < 300; ++trial) {
    Shape shape;
    for (int axis = 0; axis < 3; ++axis) {
      shape.extent[axis] = 1 + static_cast<int>(generator() % 7);
      shape.wraps[axis] = generator() % 2 == 0;
    }
    const auto nodes = static_cast<std::uint32_t>(shape.nodes());
    const Topology topology(NetworkKind::kTorus, shape);
    const std::uint32_t from = static_cast<std::uint32_t>(generator()) % nodes;
    const std::uint32_t to = static_cast<std::uint32_t>(generator()) % nodes;
    const std::vector<LinkId> links = route(topology, from, to);

    int expected_hops = 0;
    int position[3];
    int target[3];
    std::uint32_t rest_from = from;
    std::uint32_t rest_to = to;
    for (int axis = 0; axis < 3; ++axis) {
      const auto extent = static_cast<std::uint32_t>(shape.extent[axis]);
      position[axis] = static_cast<int>(rest_from % extent);
      target[axis] = static_cast<int>(rest_to % extent);
      rest_from /= extent;
      rest_to /= extent;
      const int direct = std::abs(target[axis] - position[axis]);
      expected_hops += shape.wraps[axis] ? std::min(direct, shape.extent[axis] - direct) : direct;
    }
    EXPECT_EQ(static_cast<int>(links.size()), expected_hops);
    EXPECT_EQ(topology.hops(from, to), expected_hops);

    std::set<LinkId> distinct(links.begin(), links.end());
    EXPECT_EQ(distinct.size(), links.size());
    for (const LinkId link : links) {
      const int node =
          position[0] + shape.extent[0] * (position[1] + shape.extent[1] * position[2]);
      ASSERT_EQ(link / 6, static_cast<LinkId>(node));
      const int axis = static_cast<int>(link % 6) / 2;
      const int step = link % 2 == 0 ? 1 : -1;
      const int next = position[axis] + step;
      if (!shape.wraps[axis]) {
        ASSERT_GE(next, 0);
        ASSERT_LT(next, shape.extent[axis]);
      }
      position[axis] = (next + shape.extent[axis]) % shape.extent[axis];
    }
    for (int axis = 0; axis < 3; ++axis) EXPECT_EQ(position[axis], target[axis]);
  }
}

}  // namespace
}  // namespace mpiactor::sim
