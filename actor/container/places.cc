#include "actor/container/places.h"

#include <utility>

namespace mpiactor {

std::vector<int> nodes_of(std::span<const Place> places) {
  std::vector<int> nodes;
  nodes.reserve(places.size());
  for (const Place& place : places) nodes.push_back(place.node);
  return nodes;
}

Places::Places(std::span<const Place> all) : layout_(nodes_of(all)) {
  constexpr int kUnknown = -1;
  std::vector<int> of_member(static_cast<std::size_t>(layout_.most_members()), kUnknown);
  for (std::size_t rank = 0; rank < all.size() && !domains_are_per_rank_; ++rank) {
    int& domain = of_member[static_cast<std::size_t>(member(static_cast<int>(rank)))];
    if (domain == kUnknown) domain = all[rank].domain;
    domains_are_per_rank_ = domain != all[rank].domain;
  }
  if (domains_are_per_rank_) {
    of_member.clear();
    for (const Place& place : all) of_member.push_back(place.domain);
  }
  domains_ = inter::IntTable(std::move(of_member));
}

int* Places::move_table(int* memory, bool writes) {
  memory = layout_.move_table(memory, writes);
  return domains_are_per_rank_ ? domains_.move_to(memory, writes) : memory;
}

}  // namespace mpiactor
