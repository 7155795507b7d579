#include "actor/container/node_map.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace mpiactor {
namespace {

// Takes the members of each NUMA domain in turn until there are enough.
std::vector<int> spread_over_domains(std::span<const int> members, std::span<const Place> places,
                                     std::size_t most) {
  if (members.size() <= most) return {members.begin(), members.end()};
  std::map<int, std::vector<int>> by_domain;
  for (const int rank : members) {
    by_domain[places[static_cast<std::size_t>(rank)].numa_domain].push_back(rank);
  }
  std::vector<int> chosen;
  for (std::size_t turn = 0; chosen.size() < most; ++turn) {
    for (const auto& [domain, ranks] : by_domain) {
      if (turn < ranks.size() && chosen.size() < most) chosen.push_back(ranks[turn]);
    }
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace

NodeMap::NodeMap(std::span<const Place> places, int most_candidates) {
  std::unordered_map<int, int> number;
  node_of_.reserve(places.size());
  for (const Place& place : places) {
    const int next = static_cast<int>(number.size());
    node_of_.push_back(number.emplace(place.node, next).first->second);
  }
  std::vector<std::vector<int>> by_node(number.size());
  for (std::size_t rank = 0; rank < node_of_.size(); ++rank) {
    by_node[static_cast<std::size_t>(node_of_[rank])].push_back(static_cast<int>(rank));
  }
  member_begin_.push_back(0);
  candidate_begin_.push_back(0);
  for (const std::vector<int>& members : by_node) {
    members_.insert(members_.end(), members.begin(), members.end());
    member_begin_.push_back(static_cast<int>(members_.size()));
    const std::vector<int> candidates =
        spread_over_domains(members, places, static_cast<std::size_t>(most_candidates));
    candidates_.insert(candidates_.end(), candidates.begin(), candidates.end());
    candidate_begin_.push_back(static_cast<int>(candidates_.size()));
  }
}

int NodeMap::most_members() const {
  int most = 0;
  for (int node = 0; node < nodes(); ++node) {
    most = std::max(most, static_cast<int>(members(node).size()));
  }
  return most;
}

bool NodeMap::is_candidate(int rank) const {
  const std::span<const int> all = candidates(node_of(rank));
  return std::binary_search(all.begin(), all.end(), rank);
}

int NodeMap::member_index(int rank) const {
  const std::span<const int> all = members(node_of(rank));
  return static_cast<int>(std::lower_bound(all.begin(), all.end(), rank) - all.begin());
}

}  // namespace mpiactor
