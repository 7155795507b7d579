// Predicted times of broadcasts against values worked out by hand, and trees against those of
// plans.
#include "inter/bcast_cost.h"

#include <gtest/gtest.h>

#include <map>
#include <string_view>

#include "inter/registry.h"
#include "inter/routes.h"
#include "inter/tofu_algos/line_tree.h"

namespace mpiactor::inter {
namespace {

Shape shape_of(int x, int y = 1, int z = 1) { return Shape{{x, y, z}, {true, true, true}}; }

// The model's own walk over a line's tree agrees with the tree that the plans are made of.
TEST(BcastCost, LineTreesAreThoseOfThePlans) {
  for (const bool wraps : {true, false}) {
    for (int extent = 2; extent < 200; ++extent) {
      const Shape line{{extent, 1, 1}, {wraps, true, true}};
      std::map<std::int64_t, int> loads;
      int most_hops = 0;
      const auto most_load = [&] {
        int most = 0;
        for (const auto& [link, load] : loads) most = std::max(most, load);
        return most;
      };
      const auto add_tree = [&](bool backward) {
        const auto node = [&](int position) {
          return backward ? (extent - position) % extent : position;
        };
        for (int position = 1; position < extent; ++position) {
          const int from = node(line_place(position, extent).parent);
          most_hops = std::max(most_hops, axis_route(line, 0, from, node(position)).hops);
          for_each_link(line, from, node(position), [&](std::int64_t link) { ++loads[link]; });
        }
      };
      const LineTreeCost cost(extent, wraps, LinkModel{2.0, 1'000});
      add_tree(false);
      EXPECT_EQ(cost.load, most_load()) << extent << wraps;
      add_tree(true);
      EXPECT_EQ(cost.both_ways_load, most_load() / 2.0) << extent << wraps;
      EXPECT_EQ(cost.most_hops, most_hops) << extent << wraps;
      EXPECT_EQ(cost.children, static_cast<int>(line_place(0, extent).children.size())) << extent;
      if (wraps) {
        EXPECT_LE(cost.load, bintree_link_load(extent)) << extent;
        EXPECT_LE(cost.both_ways_load, cost.load) << extent;
      }
    }
  }
}

// A ring of five: 0 -> 1 -> 2 upwards, and 0 -> 3 (two hops downwards) -> 4.
TEST(BcastCost, BintreeOnARingOfFive) {
  LinkModel link{2.0, 1'000};
  link.network = NetworkKind::kTorus;
  // Two levels of 2 + 1000 / 1000.
  EXPECT_DOUBLE_EQ(*bcast_us("bintree3d", shape_of(5), 1'000, 1'000, link), 6);
  link.hop_us = 0.5;  // the edge of two hops takes 3.5
  EXPECT_DOUBLE_EQ(*bcast_us("bintree3d", shape_of(5), 1'000, 1'000, link), 6.5);
  link.startup_us = 10;
  link.rendezvous_us = 4;
  link.eager_bytes_near = link.eager_bytes_far = 1'000;
  EXPECT_DOUBLE_EQ(*bcast_us("bintree3d", shape_of(5), 1'000, 1'000, link), 16.5);
  // 2 + 1.001 and 2.5 + 1.001, start-up and rendezvous.
  EXPECT_NEAR(*bcast_us("bintree3d", shape_of(5), 1'001, 1'001, link), 20.502, 1e-9);
}

// 12 segments of 1000 bytes along each of two ways of a ring of 9: 8 hops of 3 us, then a segment
// every 3 us; with two under way at once and 1 us on the link, every 1.5 us.
TEST(BcastCost, TrinaryOnARing) {
  LinkModel link{2.0, 1'000};
  link.network = NetworkKind::kTorus;
  EXPECT_DOUBLE_EQ(*bcast_us("trinaryx6", shape_of(9), 24'000, 1'000, link), 8 * 3 + 11 * 3);
  link.window = 2;
  // After the first: five full windows of 3 us, and one segment right behind.
  EXPECT_DOUBLE_EQ(*bcast_us("trinaryx6", shape_of(9), 24'000, 1'000, link), 8 * 3 + 5 * 3 + 1);
}

// On a switch all streams of a node share its one link.
TEST(BcastCost, StreamsShareTheLinkOfASwitch) {
  LinkModel link{2.0, 1'000};
  link.network = NetworkKind::kSwitch;
  const std::uint64_t bytes = 60'000'000;
  EXPECT_GT(*bcast_us("trinaryx6", shape_of(8, 6, 8), bytes, 10'000, link), 59'000);
  link.network = NetworkKind::kTorus;
  EXPECT_LT(*bcast_us("trinaryx6", shape_of(8, 6, 8), bytes, 10'000, link), 13'000);
}

// Long messages over long rings share links: what every second level of the tree costs.
TEST(BcastCost, RoutesOfManyHopsShareLinks) {
  LinkModel link{2.0, 1'000};
  link.network = NetworkKind::kTorus;
  const std::uint64_t bytes = 100'000'000;
  const double line_us = 100'000;  // all bytes over one link
  EXPECT_NEAR(*bcast_us("bintree6d", shape_of(384), bytes, 100'000, link) / line_us, 4, 0.15);
  EXPECT_GT(*bcast_us("binary", shape_of(384), bytes, 100'000, link) / line_us, 100);
  EXPECT_GT(*bcast_us("binomial", shape_of(384), bytes, 100'000, link) / line_us, 7);
}

TEST(BcastCost, EveryBroadcastThatMayBeSelectedHasATime) {
  const LinkModel link{2.0, 1'000};
  EXPECT_FALSE(bcast_us("bine", shape_of(4, 3, 2), 24'000, 1'000, link));
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != Collective::kBcast) continue;
    if (std::string_view(algorithm.name).starts_with("bine")) continue;
    const auto time = bcast_us(algorithm.name, shape_of(4, 3, 2), 24'000, 1'000, link);
    ASSERT_TRUE(time) << algorithm.name;
    EXPECT_GT(*time, 2.0) << algorithm.name;
    EXPECT_EQ(bcast_us(algorithm.name, shape_of(1), 24'000, 1'000, link), 0.0) << algorithm.name;
  }
  EXPECT_FALSE(bcast_us("nonsense", shape_of(4), 1, 1, link));
  EXPECT_DOUBLE_EQ(*bcast_us("chain", shape_of(5), 3'000, 1'000, link), (4 + 3 - 1) * 3.0);
  EXPECT_DOUBLE_EQ(*bcast_us("binomial", shape_of(5), 3'000, 1'000, link), 3 * 5.0);
  EXPECT_DOUBLE_EQ(*bcast_us("linear", shape_of(5), 3'000, 1'000, link), 4 * 5.0);
  EXPECT_DOUBLE_EQ(*bcast_us("trinaryx6", shape_of(8, 6, 8), 60'000, 1'000, link),
                   (19 + 10 - 1) * 3.0);
  EXPECT_DOUBLE_EQ(*bcast_us("rdaas", shape_of(8), 8'000, 1'000, link), 6 * 2.0 + 14.0);
  EXPECT_DOUBLE_EQ(*bcast_us("ring", shape_of(8), 8'000, 1'000, link), 10 * 2.0 + 14.0);
}

}  // namespace
}  // namespace mpiactor::inter
