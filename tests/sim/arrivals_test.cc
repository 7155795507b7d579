#include "sim/arrivals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace mpiactor::sim {
namespace {

constexpr Picoseconds kSkew = 1'000'000;
const Layout kLayout{4, 3};

TEST(Arrivals, Patterns) {
  const auto make = [](const char* pattern) { return make_arrivals(pattern, kLayout, kSkew, 1); };
  EXPECT_EQ(make("together"), std::vector<Picoseconds>(12, 0));
  const auto one_late = make("one-late");
  EXPECT_EQ(std::count(one_late.begin(), one_late.end(), 0u), 11);
  const auto one_early = make("one-early");
  EXPECT_EQ(std::count(one_early.begin(), one_early.end(), kSkew), 11);
  const auto ascending = make("ascending");
  EXPECT_EQ(ascending.front(), 0u);
  EXPECT_EQ(ascending.back(), kSkew);
  EXPECT_TRUE(std::is_sorted(ascending.begin(), ascending.end()));
  // As many ranks, as late, as the product of both has no room.
  constexpr Picoseconds kLate = 1'000'000'000'000'000;
  const auto far_apart = make_arrivals("ascending", {4096, 8}, kLate, 1);
  EXPECT_EQ(far_apart.back(), kLate);
  EXPECT_TRUE(std::is_sorted(far_apart.begin(), far_apart.end()));
  EXPECT_EQ(make("late-leaders"),
            (std::vector<Picoseconds>{kSkew, 0, 0, kSkew, 0, 0, kSkew, 0, 0, kSkew, 0, 0}));
  const auto late_node = make("late-node");
  const auto first = std::find(late_node.begin(), late_node.end(), kSkew);
  EXPECT_EQ((first - late_node.begin()) % 3, 0);
  EXPECT_EQ(std::count(first, first + 3, kSkew), 3);
  EXPECT_EQ(std::count(late_node.begin(), late_node.end(), 0u), 9);
  EXPECT_THROW(make("late"), InputError);
}

TEST(Arrivals, RandomOnesAreUniformAndFollowTheSeed) {
  const Layout many{1000, 100};
  const auto arrivals = make_arrivals("random", many, kSkew, 3);
  EXPECT_LT(*std::max_element(arrivals.begin(), arrivals.end()), kSkew);
  const double mean = std::accumulate(arrivals.begin(), arrivals.end(), 0.0) / 1e5;
  EXPECT_NEAR(mean, kSkew / 2.0, kSkew / 200.0);
  EXPECT_EQ(arrivals, make_arrivals("random", many, kSkew, 3));
  EXPECT_NE(arrivals, make_arrivals("random", many, kSkew, 4));
}

TEST(Leaders, StaticIsTheLowestCompetitiveTheFirst) {
  const std::vector<Picoseconds> arrivals = {0, 1, 2, 9, 5, 7, 4, 4, 8, 3, 2, 1};
  const Leaders fixed = elect_leaders(kLayout, LeaderPolicy::kStatic, 2, 3, arrivals);
  EXPECT_EQ(fixed.ranks, (std::vector<int>{2, 3, 6, 9})) << "the root leads its node";
  EXPECT_EQ(fixed.arrivals, (std::vector<Picoseconds>{2, 9, 4, 3}));
  const Leaders first = elect_leaders(kLayout, LeaderPolicy::kCompetitive, 2, 3, arrivals);
  EXPECT_EQ(first.ranks, (std::vector<int>{2, 4, 6, 11}));
  EXPECT_EQ(first.arrivals, (std::vector<Picoseconds>{2, 5, 4, 1}));
  const Leaders one = elect_leaders(kLayout, LeaderPolicy::kCompetitive, 2, 1, arrivals);
  EXPECT_EQ(one.ranks, fixed.ranks) << "one candidate is a static leader";
}

// The rule of the runtime: whoever may lead and has come before the root.
TEST(Leaders, WhoWaitsForTheRootLeadsItsNode) {
  const Layout layout{2, 4};
  const auto leaders = [&](LeaderPolicy policy, int candidates,
                           const std::vector<Picoseconds>& arrivals) {
    return elect_leaders(layout, policy, 2, candidates, arrivals, RootSender::kNode);
  };
  const std::vector<Picoseconds> late_root = {5, 3, 9, 1, 0, 0, 0, 0};
  const Leaders fixed = leaders(LeaderPolicy::kStatic, 4, late_root);
  EXPECT_EQ(fixed.ranks, (std::vector<int>{0, 4}));
  EXPECT_EQ(fixed.arrivals[0], 9u) << "it waits for the root";
  EXPECT_EQ(leaders(LeaderPolicy::kCompetitive, 4, late_root).ranks, (std::vector<int>{3, 4}));
  EXPECT_EQ(leaders(LeaderPolicy::kCompetitive, 3, late_root).ranks, (std::vector<int>{1, 4}))
      << "of 0, 1 and 2";
  const Layout of_five{1, 5};
  EXPECT_EQ(
      elect_leaders(of_five, LeaderPolicy::kCompetitive, 1, 2, late_root, RootSender::kNode).ranks,
      (std::vector<int>{1}))
      << "0 and, in place of 2, the root";
  const std::vector<Picoseconds> early_root = {5, 3, 1, 1, 0, 0, 0, 0};
  for (const LeaderPolicy policy : {LeaderPolicy::kStatic, LeaderPolicy::kCompetitive}) {
    EXPECT_EQ(leaders(policy, 4, early_root).ranks[0], 2) << "of those that come at once the root";
  }
}

TEST(Leaders, OnNodesOfDifferentSizes) {
  const Layout layout = Layout::of({3, 1, 2});
  EXPECT_EQ(layout.ranks(), 6);
  EXPECT_EQ(layout.most_members(), 3);
  EXPECT_EQ(layout.node_of(2), 0);
  EXPECT_EQ(layout.node_of(3), 1);
  EXPECT_EQ(layout.node_of(5), 2);
  const std::vector<Picoseconds> arrivals = {9, 8, 7, 5, 4, 3};
  EXPECT_EQ(elect_leaders(layout, LeaderPolicy::kStatic, 5, 8, arrivals).ranks,
            (std::vector<int>{0, 3, 5}));
  EXPECT_EQ(elect_leaders(layout, LeaderPolicy::kCompetitive, 3, 8, arrivals).ranks,
            (std::vector<int>{2, 3, 5}));
  EXPECT_EQ(elect_leaders(layout, LeaderPolicy::kCompetitive, 3, 2, arrivals).ranks,
            (std::vector<int>{1, 3, 5}));
  EXPECT_EQ(make_arrivals("late-leaders", layout, kSkew, 1),
            (std::vector<Picoseconds>{kSkew, 0, 0, kSkew, kSkew, 0}));
  EXPECT_TRUE(Layout::of({2, 2}).first_ranks.empty()) << "equal nodes need no table";
}

// [CP]: the first of n has the mean arrival k / (n + 1).
TEST(Leaders, MeanArrivalIsTheClosedForm) {
  for (const int ranks : {1, 2, 4, 8}) {
    const Layout layout{50'000, ranks};
    const auto arrivals = make_arrivals("random", layout, kSkew, 11);
    const Leaders leaders = elect_leaders(layout, LeaderPolicy::kCompetitive, 0, ranks, arrivals);
    const double mean =
        std::accumulate(leaders.arrivals.begin(), leaders.arrivals.end(), 0.0) / layout.nodes;
    EXPECT_NEAR(mean, static_cast<double>(kSkew) / (ranks + 1), 0.005 * kSkew);
  }
}

TEST(Leaders, PolicyNames) {
  EXPECT_EQ(parse_leader_policy("static"), LeaderPolicy::kStatic);
  EXPECT_EQ(parse_leader_policy("competitive"), LeaderPolicy::kCompetitive);
  EXPECT_THROW(parse_leader_policy("first"), InputError);
}

}  // namespace
}  // namespace mpiactor::sim
