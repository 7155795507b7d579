// The ranks of a communicator by node, and who of a node may become leader. Its memory does not
// grow with the number of nodes where they are alike; else it is a table, which a node's members
// can share.
#ifndef MPIACTOR_ACTOR_CONTAINER_NODE_MAP_H_
#define MPIACTOR_ACTOR_CONTAINER_NODE_MAP_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "actor/container/node_layout.h"
#include "actor/container/places.h"
#include "inter/int_table.h"
#include "inter/rank_list.h"

namespace mpiactor {

class NodeMap {
 public:
  // `places`: one a rank. Nodes are numbered by their lowest rank.
  // `most_candidates` (>= 1): members of a node that may become leader, spread over domains.
  NodeMap(std::span<const Place> places, int most_candidates);

  int nodes() const { return layout_.nodes(); }
  int ranks() const { return layout_.ranks(); }
  int node_of(int rank) const { return layout_.node_of(rank); }
  // Ascending ranks.
  inter::RankList members(int node) const { return layout_.members(node); }
  // Ascending ranks; with one candidate it is the lowest member.
  inter::RankList candidates(int node) const;
  int most_members() const { return layout_.most_members(); }
  bool is_candidate(int rank) const;
  // See NodeLayout.
  int member_index(int rank) const { return layout_.member_index(rank); }
  int first_position(int node) const { return layout_.first_position(node); }
  int rank_at(int position) const { return layout_.rank_at(position); }
  // Of what lies position after position, from begin(position) on: where each node's part begins,
  // and the end of all; nodes() + 1 of them.
  template <typename Begin>
  std::vector<std::uint64_t> cuts(Begin begin) const {
    std::vector<std::uint64_t> found;
    for (int node = 0; node < nodes(); ++node) found.push_back(begin(first_position(node)));
    found.push_back(begin(ranks()));
    return found;
  }

  // As NodeLayout's.
  std::size_t table_ints() const;
  int* move_table(int* memory, bool writes);
  // What each rank keeps beside this object and the table.
  std::size_t own_bytes() const {
    return candidates_ == Candidates::kChosen ? chosen_.size() * sizeof(int) : 0;
  }

 private:
  enum class Candidates {
    kFirst,   // the lowest members
    kChosen,  // chosen_ says which members: the same on all nodes; where there are few, all
    kTable,   // those of `node` begin at chosen_[node], counted from the end of that part
  };

  bool choose_alike(std::span<const Place> places);
  void choose_by_table(std::span<const Place> places);

  NodeLayout layout_;
  std::size_t most_candidates_;
  Candidates candidates_ = Candidates::kFirst;
  inter::IntTable chosen_;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_NODE_MAP_H_
