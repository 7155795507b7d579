#include "sim/arrivals.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <random>

namespace mpiactor::sim {
namespace {

// Uniform in [0, 1); written out because the distributions of <random> differ between libraries.
double draw(std::mt19937_64* generator) {
  return static_cast<double>((*generator)() >> 11) * 0x1p-53;
}

int draw_below(std::mt19937_64* generator, int limit) {
  return static_cast<int>(draw(generator) * limit);
}

void add_random(Picoseconds skew, std::mt19937_64* generator, std::vector<Picoseconds>* arrivals) {
  for (Picoseconds& arrival : *arrivals) {
    arrival = static_cast<Picoseconds>(draw(generator) * static_cast<double>(skew));
  }
}

}  // namespace

Layout Layout::of(std::int64_t nodes, int ranks_per_node) {
  const std::int64_t most =
      std::min<std::int64_t>(kMostRanksPerNode, std::numeric_limits<int>::max() / nodes);
  if (ranks_per_node < 1 || ranks_per_node > most) {
    throw InputError(fmt::format("ranks-per-node is {}; allowed on {} nodes: 1 to {}",
                                 ranks_per_node, nodes, most));
  }
  return {.nodes = static_cast<int>(nodes), .ranks_per_node = ranks_per_node};
}

Layout Layout::of(const std::vector<int>& node_ranks) {
  Layout layout{.nodes = static_cast<int>(node_ranks.size())};
  const bool equal = std::adjacent_find(node_ranks.begin(), node_ranks.end(),
                                        std::not_equal_to<>()) == node_ranks.end();
  if (equal) {
    layout.ranks_per_node = node_ranks.front();
    return layout;
  }
  layout.first_ranks.push_back(0);
  for (const int ranks : node_ranks) {
    layout.first_ranks.push_back(layout.first_ranks.back() + ranks);
  }
  return layout;
}

int Layout::most_members() const {
  int most = ranks_per_node;
  for (int node = 0; node < nodes && !first_ranks.empty(); ++node) {
    most = std::max(most, members(node));
  }
  return most;
}

int Layout::node_of(int rank) const {
  if (first_ranks.empty()) return rank / ranks_per_node;
  const auto behind = std::upper_bound(first_ranks.begin(), first_ranks.end(), rank);
  return static_cast<int>(behind - first_ranks.begin()) - 1;
}

LeaderPolicy parse_leader_policy(const std::string& name) {
  if (name == "static") return LeaderPolicy::kStatic;
  if (name == "competitive") return LeaderPolicy::kCompetitive;
  throw InputError(fmt::format("leader is '{}'; allowed: static, competitive", name));
}

std::vector<Picoseconds> make_arrivals(const std::string& pattern, const Layout& layout,
                                       Picoseconds skew, std::uint64_t seed) {
  const auto ranks = static_cast<std::size_t>(layout.ranks());
  std::mt19937_64 generator(seed);
  std::vector<Picoseconds> arrivals(ranks, 0);
  if (pattern == "together") {
    return arrivals;
  } else if (pattern == "random") {
    add_random(skew, &generator, &arrivals);
  } else if (pattern == "one-late") {
    arrivals[static_cast<std::size_t>(draw_below(&generator, layout.ranks()))] = skew;
  } else if (pattern == "one-early") {
    arrivals.assign(ranks, skew);
    arrivals[static_cast<std::size_t>(draw_below(&generator, layout.ranks()))] = 0;
  } else if (pattern == "ascending") {
    for (std::size_t rank = 1; rank < ranks; ++rank) arrivals[rank] = skew * rank / (ranks - 1);
  } else if (pattern == "late-leaders") {
    for (int node = 0; node < layout.nodes; ++node) {
      arrivals[static_cast<std::size_t>(layout.first_rank(node))] = skew;
    }
  } else if (pattern == "late-node") {
    const int node = draw_below(&generator, layout.nodes);
    std::fill_n(arrivals.begin() + layout.first_rank(node), layout.members(node), skew);
  } else {
    throw InputError(fmt::format("pattern is '{}'; allowed: {}", pattern, kArrivalPatterns));
  }
  return arrivals;
}

std::vector<Picoseconds> needed_arrivals(Direction direction, int root_rank,
                                         std::span<const Picoseconds> arrivals) {
  const auto root = static_cast<std::size_t>(root_rank);
  const Picoseconds last = *std::max_element(arrivals.begin(), arrivals.end());
  switch (direction) {
    case Direction::kFromRoot:
      return std::vector<Picoseconds>(arrivals.size(), arrivals[root]);
    case Direction::kToRoot: {
      std::vector<Picoseconds> needed(arrivals.begin(), arrivals.end());
      needed[root] = last;
      return needed;
    }
    case Direction::kAmongAll:
      break;
  }
  return std::vector<Picoseconds>(arrivals.size(), last);
}

Leaders elect_leaders(const Layout& layout, LeaderPolicy policy, int root_rank, int candidates,
                      std::span<const Picoseconds> arrivals) {
  Leaders leaders;
  for (int node = 0; node < layout.nodes; ++node) {
    const int lowest = layout.first_rank(node);
    const int members = layout.members(node);
    const int competing = std::min(candidates, members);
    int leader = lowest;
    if (layout.node_of(root_rank) == node) {
      leader = root_rank;
    } else if (policy == LeaderPolicy::kCompetitive) {
      for (int candidate = 1; candidate < competing; ++candidate) {
        const int rank = lowest + candidate * members / competing;
        if (arrivals[static_cast<std::size_t>(rank)] < arrivals[static_cast<std::size_t>(leader)]) {
          leader = rank;
        }
      }
    }
    leaders.ranks.push_back(leader);
    leaders.arrivals.push_back(arrivals[static_cast<std::size_t>(leader)]);
  }
  return leaders;
}

}  // namespace mpiactor::sim
