#include "actor/container/node_map.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace mpiactor {
namespace {

// Indices among `members`: of each domain in turn until there are enough; where there are more
// domains than that, one of each of as many, evenly spread.
std::vector<int> spread_over_domains(const inter::RankList& members, std::span<const Place> places,
                                     std::size_t most) {
  std::map<int, std::vector<int>> by_number;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto rank = static_cast<std::size_t>(members[i]);
    by_number[places[rank].domain].push_back(static_cast<int>(i));
  }
  std::vector<std::vector<int>> domains;
  for (auto& [number, indices] : by_number) domains.push_back(std::move(indices));
  const std::size_t wanted = std::min(most, members.size());
  const std::size_t spread = std::min(wanted, domains.size());
  std::vector<int> chosen;
  for (std::size_t turn = 0; chosen.size() < wanted; ++turn) {
    for (std::size_t i = 0; i < spread && chosen.size() < wanted; ++i) {
      const std::vector<int>& indices = domains[i * domains.size() / spread];
      if (turn < indices.size()) chosen.push_back(indices[turn]);
    }
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

bool are_first(const std::vector<int>& indices) {
  return indices.empty() || indices.back() == static_cast<int>(indices.size()) - 1;
}

}  // namespace

NodeMap::NodeMap(std::span<const Place> places, int most_candidates)
    : layout_(nodes_of(places)), most_candidates_(static_cast<std::size_t>(most_candidates)) {
  if (!choose_alike(places)) choose_by_table(places);
}

// Whether one choice of members serves all nodes that have more than enough.
bool NodeMap::choose_alike(std::span<const Place> places) {
  std::vector<int> choice;
  for (int node = 0; node < nodes(); ++node) {
    const inter::RankList all = members(node);
    if (all.size() <= most_candidates_) continue;
    std::vector<int> here = spread_over_domains(all, places, most_candidates_);
    if (choice.empty())
      choice = std::move(here);
    else if (choice != here)
      return false;
  }
  if (are_first(choice)) return true;
  if (layout_.is_table()) return false;  // its members are a view already
  candidates_ = Candidates::kChosen;
  chosen_ = inter::IntTable(std::move(choice));
  return true;
}

void NodeMap::choose_by_table(std::span<const Place> places) {
  candidates_ = Candidates::kTable;
  std::vector<int> table(static_cast<std::size_t>(nodes()) + 1);
  const int ranks_begin = static_cast<int>(table.size());
  for (int node = 0; node < nodes(); ++node) {
    const inter::RankList all = members(node);
    table[static_cast<std::size_t>(node)] = static_cast<int>(table.size()) - ranks_begin;
    for (const int i : spread_over_domains(all, places, most_candidates_)) {
      table.push_back(all[static_cast<std::size_t>(i)]);
    }
  }
  table[static_cast<std::size_t>(nodes())] = static_cast<int>(table.size()) - ranks_begin;
  chosen_ = inter::IntTable(std::move(table));
}

inter::RankList NodeMap::candidates(int node) const {
  if (candidates_ == Candidates::kTable) {
    const auto i = static_cast<std::size_t>(node);
    return inter::RankList::view(chosen_.data() + nodes() + 1 + chosen_[i],
                                 chosen_[i + 1] - chosen_[i]);
  }
  const inter::RankList all = members(node);
  if (candidates_ == Candidates::kFirst || all.size() <= most_candidates_) {
    return all.first(most_candidates_);
  }
  return inter::RankList::chosen_of_spaced(all[0], all[1] - all[0], chosen_.data(),
                                           static_cast<int>(chosen_.size()));
}

bool NodeMap::is_candidate(int rank) const {
  const inter::RankList all = candidates(node_of(rank));
  return std::binary_search(all.begin(), all.end(), rank);
}

std::size_t NodeMap::table_ints() const {
  return layout_.table_ints() + (candidates_ == Candidates::kTable ? chosen_.size() : 0);
}

int* NodeMap::move_table(int* memory, bool writes) {
  memory = layout_.move_table(memory, writes);
  return candidates_ == Candidates::kTable ? chosen_.move_to(memory, writes) : memory;
}

}  // namespace mpiactor
