#include "actor/container/node_map.h"

#include <gtest/gtest.h>

#include <vector>

namespace mpiactor {
namespace {

std::vector<int> list(std::span<const int> values) { return {values.begin(), values.end()}; }

std::vector<Place> on_nodes(const std::vector<int>& nodes) {
  std::vector<Place> places;
  for (const int node : nodes) places.push_back({node, 0});
  return places;
}

TEST(NodeMap, NumbersNodesByTheirLowestRank) {
  const NodeMap map(on_nodes({7, 3, 7, 9, 3}), 8);
  EXPECT_EQ(map.nodes(), 3);
  EXPECT_EQ(map.ranks(), 5);
  EXPECT_EQ(map.node_of(0), 0);
  EXPECT_EQ(map.node_of(1), 1);
  EXPECT_EQ(map.node_of(3), 2);
  EXPECT_EQ(list(map.members(0)), (std::vector<int>{0, 2}));
  EXPECT_EQ(list(map.members(1)), (std::vector<int>{1, 4}));
  EXPECT_EQ(list(map.members(2)), (std::vector<int>{3}));
  EXPECT_EQ(map.member_index(4), 1);
  EXPECT_EQ(map.member_index(3), 0);
}

TEST(NodeMap, AllMembersAreCandidatesWhereThereAreFew) {
  const NodeMap map(on_nodes({0, 1, 0, 1, 0}), 3);
  EXPECT_EQ(list(map.candidates(0)), (std::vector<int>{0, 2, 4}));
  EXPECT_EQ(list(map.candidates(1)), (std::vector<int>{1, 3}));
}

TEST(NodeMap, CandidatesSpreadOverNumaDomains) {
  std::vector<Place> places;
  for (int rank = 0; rank < 8; ++rank) places.push_back({0, rank / 4});
  const NodeMap map(places, 4);
  EXPECT_EQ(list(map.candidates(0)), (std::vector<int>{0, 1, 4, 5}));
  EXPECT_TRUE(map.is_candidate(4));
  EXPECT_FALSE(map.is_candidate(2));
  EXPECT_EQ(list(NodeMap(places, 1).candidates(0)), (std::vector<int>{0}));
  EXPECT_EQ(list(NodeMap(places, 3).candidates(0)), (std::vector<int>{0, 1, 4}));
}

}  // namespace
}  // namespace mpiactor
