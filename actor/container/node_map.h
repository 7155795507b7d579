// The ranks of a communicator by node, and who of a node may become leader.
#ifndef MPIACTOR_ACTOR_CONTAINER_NODE_MAP_H_
#define MPIACTOR_ACTOR_CONTAINER_NODE_MAP_H_

#include <span>
#include <vector>

namespace mpiactor {

// Where a process is: any two processes with equal `node` can share memory.
struct Place {
  int node = 0;
  int numa_domain = 0;
};

class NodeMap {
 public:
  // `places`: one a rank. Nodes are numbered by their lowest rank.
  // `most_candidates` (>= 1): members of a node that may become leader, spread over NUMA domains.
  NodeMap(std::span<const Place> places, int most_candidates);

  int nodes() const { return static_cast<int>(member_begin_.size()) - 1; }
  int ranks() const { return static_cast<int>(node_of_.size()); }
  int node_of(int rank) const { return node_of_[static_cast<std::size_t>(rank)]; }
  // Ascending ranks.
  std::span<const int> members(int node) const { return part(members_, member_begin_, node); }
  // Ascending ranks; with one candidate it is the lowest member.
  std::span<const int> candidates(int node) const {
    return part(candidates_, candidate_begin_, node);
  }
  // All ranks, node after node; those of `node` begin at first_position(node).
  std::span<const int> by_node() const { return members_; }
  int first_position(int node) const { return member_begin_[static_cast<std::size_t>(node)]; }
  int most_members() const;
  bool is_candidate(int rank) const;
  // Position of `rank` among its node's members.
  int member_index(int rank) const;

 private:
  static std::span<const int> part(const std::vector<int>& all, const std::vector<int>& begins,
                                   int node) {
    const auto i = static_cast<std::size_t>(node);
    return {all.data() + begins[i], all.data() + begins[i + 1]};
  }

  std::vector<int> node_of_;
  std::vector<int> members_;
  std::vector<int> member_begin_;
  std::vector<int> candidates_;
  std::vector<int> candidate_begin_;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_NODE_MAP_H_
