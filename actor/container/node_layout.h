// Which ranks of a communicator are on which node. Layouts of a few runs of equal nodes, and
// round-robin ones, are kept as a formula, however many ranks there are; others as a table, which a
// node's members can share.
#ifndef MPIACTOR_ACTOR_CONTAINER_NODE_LAYOUT_H_
#define MPIACTOR_ACTOR_CONTAINER_NODE_LAYOUT_H_

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "inter/int_table.h"
#include "inter/rank_list.h"

namespace mpiactor {

class NodeLayout {
 public:
  NodeLayout() = default;
  // `labels`: one a rank; equal ones are on one node. Nodes are numbered by their lowest rank.
  explicit NodeLayout(std::span<const int> labels);

  int nodes() const { return nodes_; }
  int ranks() const { return ranks_; }
  int node_of(int rank) const;
  inter::RankList members(int node) const;  // ascending
  int most_members() const { return most_members_; }
  // Position of `rank` among its node's members.
  int member_index(int rank) const;
  // All ranks, node after node: where those of `node` begin, and which rank is at a place there.
  int first_position(int node) const;
  int rank_at(int position) const;

  bool is_table() const { return kind_ == Kind::kTable; }
  // The table, in numbers; 0 where there is a formula.
  std::size_t table_ints() const { return node_of_.size() + members_.size() + begin_.size(); }
  // See inter::IntTable. Returns what follows the table.
  int* move_table(int* memory, bool writes);

 private:
  enum class Kind { kBlocks, kCyclic, kTable };
  // Nodes of `size` consecutive ranks each, from `node` and `rank` on, up to the next run.
  struct Run {
    int node = 0;
    int rank = 0;
    int size = 1;
  };
  static constexpr std::size_t kMostRuns = 4;

  bool find_runs(std::span<const int> node_of);
  void make_table(std::vector<int> node_of);
  const Run& run_of_rank(int rank) const;
  const Run& run_of_node(int node) const;

  Kind kind_ = Kind::kBlocks;
  int nodes_ = 0;
  int ranks_ = 0;
  int most_members_ = 0;
  std::array<Run, kMostRuns> runs_;
  std::size_t run_count_ = 0;
  inter::IntTable node_of_;
  inter::IntTable members_;
  inter::IntTable begin_;  // in members_, of each node; and its end
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_NODE_LAYOUT_H_
