#include "actor/container/node_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mpiactor {
namespace {

std::vector<int> list(const inter::RankList& values) { return {values.begin(), values.end()}; }

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

// Ranks 0, 2 | 1, 4 | 3, whose parts are of 10 bytes each.
TEST(NodeMap, CutsWhatLiesNodeAfterNode) {
  const NodeMap map(on_nodes({7, 3, 7, 9, 3}), 8);
  const auto begin = [](int position) {
    return std::uint64_t{10} * static_cast<unsigned>(position);
  };
  EXPECT_EQ(map.cuts(begin), (std::vector<std::uint64_t>{0, 20, 40, 50}));
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

// What the map means, as plainly as can be.
struct PlainMap {
  std::vector<int> node_of;
  std::vector<std::vector<int>> members;

  explicit PlainMap(const std::vector<Place>& places) {
    std::map<int, int> numbers;
    for (std::size_t rank = 0; rank < places.size(); ++rank) {
      const auto [entry, fresh] =
          numbers.try_emplace(places[rank].node, static_cast<int>(members.size()));
      if (fresh) members.emplace_back();
      node_of.push_back(entry->second);
      members[static_cast<std::size_t>(entry->second)].push_back(static_cast<int>(rank));
    }
  }

  // One member of each domain in turn, the domains in order; of domains evenly spread, where there
  // are too many.
  std::vector<int> candidates(std::size_t node, const std::vector<Place>& places, int most) const {
    std::vector<int> left = members[node];
    std::vector<int> found;
    std::set<int> all;
    for (const int rank : left) all.insert(places[static_cast<std::size_t>(rank)].domain);
    if (all.size() > static_cast<std::size_t>(most)) {
      const std::vector<int> domains(all.begin(), all.end());
      std::set<int> kept;
      for (std::size_t i = 0; i < static_cast<std::size_t>(most); ++i) {
        kept.insert(domains[i * domains.size() / static_cast<std::size_t>(most)]);
      }
      std::erase_if(left, [&](int rank) {
        return !kept.contains(places[static_cast<std::size_t>(rank)].domain);
      });
    }
    while (!left.empty() && found.size() < static_cast<std::size_t>(most)) {
      std::map<int, int> lowest;  // of each domain
      for (const int rank : left) {
        lowest.try_emplace(places[static_cast<std::size_t>(rank)].domain, rank);
      }
      for (const auto& [domain, rank] : lowest) {
        if (found.size() == static_cast<std::size_t>(most)) break;
        found.push_back(rank);
        std::erase(left, rank);
      }
    }
    std::sort(found.begin(), found.end());
    return found;
  }
};

void expect_equal(const NodeMap& map, const std::vector<Place>& places, int most) {
  const PlainMap plain(places);
  ASSERT_EQ(map.ranks(), static_cast<int>(places.size()));
  ASSERT_EQ(map.nodes(), static_cast<int>(plain.members.size()));
  std::vector<int> by_node;
  std::size_t longest = 0;
  for (std::size_t n = 0; n < plain.members.size(); ++n) {
    const int node = static_cast<int>(n);
    const std::vector<int>& members = plain.members[n];
    ASSERT_EQ(list(map.members(node)), members);
    ASSERT_EQ(list(map.candidates(node)), plain.candidates(n, places, most));
    ASSERT_EQ(map.first_position(node), static_cast<int>(by_node.size()));
    by_node.insert(by_node.end(), members.begin(), members.end());
    longest = std::max(longest, members.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
      ASSERT_EQ(map.node_of(members[i]), node);
      ASSERT_EQ(map.member_index(members[i]), static_cast<int>(i));
      const auto candidates = plain.candidates(n, places, most);
      ASSERT_EQ(map.is_candidate(members[i]),
                std::find(candidates.begin(), candidates.end(), members[i]) != candidates.end());
    }
  }
  ASSERT_EQ(map.most_members(), static_cast<int>(longest));
  for (std::size_t p = 0; p < by_node.size(); ++p) {
    ASSERT_EQ(map.rank_at(static_cast<int>(p)), by_node[p]);
  }
}

using Random = std::mt19937;
int below(Random& random, int end) {
  return static_cast<int>(random() % static_cast<unsigned>(end));
}

std::vector<Place> random_places(Random& random) {
  const int nodes = 1 + below(random, 12);
  const int ranks = nodes + below(random, 60);
  const int per_node = 1 + below(random, 9);
  const int domains = 1 + below(random, 4);
  const int layout = below(random, 5);
  const bool bound =
      below(random, 2) == 0;  // domains follow from the rank, as where ranks are bound
  std::vector<Place> places;
  for (int rank = 0; rank < ranks; ++rank) {
    int node = 0;
    if (layout == 0) node = rank / per_node;
    if (layout == 1) node = rank % nodes;
    if (layout == 2) node = (rank + per_node / 2) / per_node;  // a communicator cut from blocks
    if (layout == 3) node = rank / per_node % nodes;           // blocks dealt out
    if (layout == 4) node = below(random, nodes);
    const int domain = bound ? rank % per_node * domains / per_node : below(random, domains);
    places.push_back({1000 - node, domain});
  }
  return places;
}

TEST(NodeMap, IsWhatAPlainTableSays) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  int with_table = 0;
  int without = 0;
  for (int run = 0; run < 400; ++run) {
    const std::vector<Place> places = random_places(random);
    const int most = 1 + below(random, 10);
    SCOPED_TRACE("run " + std::to_string(run));
    NodeMap map(places, most);
    expect_equal(map, places, most);
    if (HasFatalFailure()) return;
    (map.table_ints() == 0 ? without : with_table) += 1;
    // The same from memory that others have filled.
    std::vector<int> shared(map.table_ints() + 1, -7);
    NodeMap other(places, most);
    EXPECT_EQ(map.move_table(shared.data(), true), shared.data() + shared.size() - 1);
    EXPECT_EQ(shared.back(), -7);
    other.move_table(shared.data(), false);
    const NodeMap moved = std::move(other);
    expect_equal(map, places, most);
    expect_equal(moved, places, most);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(with_table, 50);
  EXPECT_GT(without, 50);
}

// 82,944 nodes of 8 and some that are nearly alike: a formula.
TEST(NodeMap, RegularLayoutsNeedNoTable) {
  constexpr int kNodes = 82944;
  for (const int layout : {0, 1, 2, 3}) {
    std::vector<Place> places;
    for (int rank = 0; rank < kNodes * 8; ++rank) {
      const int blocks = rank / 8;
      const int cyclic = rank % kNodes;
      const int cut = (rank + 3) / 8;                                  // 5, 8, 8, ..., 3
      const int uneven = rank < 70 ? rank / 10 : 7 + (rank - 70) / 8;  // seven nodes of 10
      places.push_back({std::array{blocks, cyclic, cut, uneven}[static_cast<std::size_t>(layout)],
                        rank / 4 % 2});
    }
    const NodeMap map(places, 8);
    const PlainMap plain(places);
    EXPECT_EQ(map.table_ints(), 0u) << layout;
    for (const int rank : {0, 4, 5, 69, 70, 71, 82943, 82944, 500000, kNodes * 8 - 1}) {
      const int node = plain.node_of[static_cast<std::size_t>(rank)];
      EXPECT_EQ(map.node_of(rank), node);
      EXPECT_EQ(list(map.members(node)), plain.members[static_cast<std::size_t>(node)]);
    }
  }
}

// 64 cores in two NUMA domains of four caches each, a rank on each core.
TEST(NodeMap, FewCandidatesAreOfAllPartsOfAMachine) {
  std::vector<Place> places;
  for (int rank = 0; rank < 64; ++rank) places.push_back({0, rank / 8});
  EXPECT_EQ(list(NodeMap(places, 2).candidates(0)), (std::vector<int>{0, 32}));
  EXPECT_EQ(list(NodeMap(places, 4).candidates(0)), (std::vector<int>{0, 16, 32, 48}));
  EXPECT_EQ(list(NodeMap(places, 8).candidates(0)),
            (std::vector<int>{0, 8, 16, 24, 32, 40, 48, 56}));
  EXPECT_EQ(list(NodeMap(places, 10).candidates(0)),
            (std::vector<int>{0, 1, 8, 9, 16, 24, 32, 40, 48, 56}));
}

TEST(Places, KeepsDomainsByMemberWhereNodesAreAlike) {
  std::vector<Place> places;
  for (int rank = 0; rank < 64; ++rank) places.push_back({rank / 8 + 5, rank % 8 / 4});
  EXPECT_EQ(Places(places).table_ints(), 0u);
  places[13].domain = 3;
  Places odd(places);
  EXPECT_EQ(odd.table_ints(), 64u);
  std::vector<int> shared(64);
  odd.move_table(shared.data(), true);
  for (int rank = 0; rank < 64; ++rank) {
    EXPECT_EQ(odd.of(rank).node, rank / 8);
    EXPECT_EQ(odd.of(rank).domain, places[static_cast<std::size_t>(rank)].domain);
  }
}

}  // namespace
}  // namespace mpiactor
