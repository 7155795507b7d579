#include "sim/arrivals.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <random>
#include <utility>

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

// Who may lead `node`, where the root is on another one.
std::vector<int> usual_leaders(const Layout& layout, LeaderPolicy policy, int node,
                               int candidates) {
  const int members = layout.members(node);
  const int competing = policy == LeaderPolicy::kStatic ? 1 : std::min(candidates, members);
  std::vector<int> ranks;
  for (int candidate = 0; candidate < competing; ++candidate) {
    ranks.push_back(layout.first_rank(node) + candidate * members / competing);
  }
  return ranks;
}

// Who may lead the root's node: the root first, which leads where all come at once.
std::vector<int> with_root(std::vector<int> usual, LeaderPolicy policy, int root_rank) {
  const auto root = std::find(usual.begin(), usual.end(), root_rank);
  if (root != usual.end()) {
    usual.erase(root);
  } else if (policy == LeaderPolicy::kCompetitive) {
    usual.pop_back();
  }
  usual.insert(usual.begin(), root_rank);
  return usual;
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
    for (std::size_t rank = 1; rank < ranks; ++rank) {
      const std::size_t steps = ranks - 1;  // the product may not fit
      arrivals[rank] = skew / steps * rank + skew % steps * rank / steps;
    }
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

RootSender parse_root_sender(const std::string& name) {
  if (name == "root") return RootSender::kRoot;
  if (name == "node") return RootSender::kNode;
  throw InputError(fmt::format("sender is '{}'; allowed: root, node", name));
}

const char* root_sender_name(RootSender sender) {
  return sender == RootSender::kRoot ? "root" : "node";
}

Leaders elect_leaders(const Layout& layout, LeaderPolicy policy, int root_rank, int candidates,
                      std::span<const Picoseconds> arrivals, RootSender sender) {
  const auto first_of = [&](const std::vector<int>& ranks) {
    return *std::min_element(ranks.begin(), ranks.end(), [&](int one, int other) {
      return arrivals[static_cast<std::size_t>(one)] < arrivals[static_cast<std::size_t>(other)];
    });
  };
  Leaders leaders;
  for (int node = 0; node < layout.nodes; ++node) {
    std::vector<int> usual = usual_leaders(layout, policy, node, candidates);
    if (node != layout.node_of(root_rank)) {
      leaders.ranks.push_back(first_of(usual));
      leaders.arrivals.push_back(arrivals[static_cast<std::size_t>(leaders.ranks.back())]);
      continue;
    }
    leaders.ranks.push_back(sender == RootSender::kRoot
                                ? root_rank
                                : first_of(with_root(std::move(usual), policy, root_rank)));
    leaders.arrivals.push_back(arrivals[static_cast<std::size_t>(root_rank)]);
  }
  return leaders;
}

}  // namespace mpiactor::sim
