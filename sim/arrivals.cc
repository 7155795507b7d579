#include "sim/arrivals.h"

#include <fmt/format.h>

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

LeaderPolicy parse_leader_policy(const std::string& name) {
  if (name == "static") return LeaderPolicy::kStatic;
  if (name == "competitive") return LeaderPolicy::kCompetitive;
  throw InputError(fmt::format("leader is '{}'; allowed: static, competitive", name));
}

std::vector<Picoseconds> make_arrivals(const std::string& pattern, const Layout& layout,
                                       Picoseconds skew, std::uint64_t seed) {
  const auto ranks = static_cast<std::size_t>(layout.ranks());
  const auto per_node = static_cast<std::size_t>(layout.ranks_per_node);
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
    for (std::size_t rank = 0; rank < ranks; rank += per_node) arrivals[rank] = skew;
  } else if (pattern == "late-node") {
    const auto node = static_cast<std::size_t>(draw_below(&generator, layout.nodes));
    for (std::size_t member = 0; member < per_node; ++member) {
      arrivals[node * per_node + member] = skew;
    }
  } else {
    throw InputError(fmt::format("pattern is '{}'; allowed: {}", pattern, kArrivalPatterns));
  }
  return arrivals;
}

Leaders elect_leaders(const Layout& layout, LeaderPolicy policy, int root_rank, int candidates,
                      std::span<const Picoseconds> arrivals) {
  Leaders leaders;
  for (int node = 0; node < layout.nodes; ++node) {
    const int lowest = node * layout.ranks_per_node;
    int leader = lowest;
    if (root_rank / layout.ranks_per_node == node) {
      leader = root_rank;
    } else if (policy == LeaderPolicy::kCompetitive) {
      for (int candidate = 1; candidate < candidates; ++candidate) {
        const int rank = lowest + candidate * layout.ranks_per_node / candidates;
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
