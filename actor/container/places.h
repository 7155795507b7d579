// Where the ranks of the job are.
#ifndef MPIACTOR_ACTOR_CONTAINER_PLACES_H_
#define MPIACTOR_ACTOR_CONTAINER_PLACES_H_

#include <cstddef>
#include <span>
#include <vector>

#include "actor/container/node_layout.h"
#include "inter/int_table.h"

namespace mpiactor {

// Where a process is: any two processes with equal `node` can share memory.
struct Place {
  int node = 0;
  int domain = 0;  // see Machine
};

class Places {
 public:
  Places() = default;
  // One a rank. Nodes are numbered anew, by their lowest rank.
  explicit Places(std::span<const Place> all);

  const NodeLayout& layout() const { return layout_; }
  Place of(int rank) const {
    const std::size_t i = static_cast<std::size_t>(domains_are_per_rank_ ? rank : member(rank));
    return {layout_.node_of(rank), domains_[i]};
  }

  // As NodeLayout's.
  std::size_t table_ints() const {
    return layout_.table_ints() + (domains_are_per_rank_ ? domains_.size() : 0);
  }
  int* move_table(int* memory, bool writes);
  // What each rank keeps beside this object and the table.
  std::size_t own_bytes() const {
    return domains_are_per_rank_ ? 0 : domains_.size() * sizeof(int);
  }

 private:
  int member(int rank) const { return layout_.member_index(rank); }

  NodeLayout layout_;
  // Of each member, where it is the same on all nodes; else of each rank.
  inter::IntTable domains_;
  bool domains_are_per_rank_ = false;
};

// The labels that NodeLayout wants.
std::vector<int> nodes_of(std::span<const Place> places);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_PLACES_H_
