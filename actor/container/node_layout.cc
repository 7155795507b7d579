#include "actor/container/node_layout.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace mpiactor {

NodeLayout::NodeLayout(std::span<const int> labels) : ranks_(static_cast<int>(labels.size())) {
  std::unordered_map<int, int> numbers;
  std::vector<int> node_of;
  node_of.reserve(labels.size());
  bool cyclic = true;
  for (const int label : labels) {
    const int next = static_cast<int>(numbers.size());
    node_of.push_back(numbers.emplace(label, next).first->second);
  }
  nodes_ = static_cast<int>(numbers.size());
  for (int rank = 0; rank < ranks_ && cyclic; ++rank) {
    cyclic = node_of[static_cast<std::size_t>(rank)] == rank % nodes_;
  }
  if (find_runs(node_of)) return;
  if (cyclic) {
    kind_ = Kind::kCyclic;
    most_members_ = (ranks_ - 1) / nodes_ + 1;
    return;
  }
  make_table(std::move(node_of));
}

// Whether nodes follow each other rank by rank, in few runs of equal ones.
bool NodeLayout::find_runs(std::span<const int> node_of) {
  kind_ = Kind::kBlocks;
  run_count_ = 0;
  for (std::size_t begin = 0; begin < node_of.size();) {
    std::size_t end = begin;
    while (end < node_of.size() && node_of[end] == node_of[begin]) ++end;
    const int size = static_cast<int>(end - begin);
    // A node that was met before comes again.
    if (begin > 0 && node_of[begin] != node_of[begin - 1] + 1) return false;
    if (run_count_ == 0 || runs_[run_count_ - 1].size != size) {
      if (run_count_ == kMostRuns) return false;
      runs_[run_count_++] = {node_of[begin], static_cast<int>(begin), size};
    }
    most_members_ = std::max(most_members_, size);
    begin = end;
  }
  return true;
}

void NodeLayout::make_table(std::vector<int> node_of) {
  kind_ = Kind::kTable;
  std::vector<int> begin(static_cast<std::size_t>(nodes_) + 1, 0);
  for (const int node : node_of) ++begin[static_cast<std::size_t>(node) + 1];
  most_members_ = *std::max_element(begin.begin(), begin.end());
  for (std::size_t node = 1; node < begin.size(); ++node) begin[node] += begin[node - 1];
  std::vector<int> next = begin;
  std::vector<int> members(node_of.size());
  for (std::size_t rank = 0; rank < node_of.size(); ++rank) {
    const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(node_of[rank])]++);
    members[place] = static_cast<int>(rank);
  }
  node_of_ = inter::IntTable(std::move(node_of));
  members_ = inter::IntTable(std::move(members));
  begin_ = inter::IntTable(std::move(begin));
}

const NodeLayout::Run& NodeLayout::run_of_rank(int rank) const {
  std::size_t i = run_count_ - 1;
  while (runs_[i].rank > rank) --i;
  return runs_[i];
}

const NodeLayout::Run& NodeLayout::run_of_node(int node) const {
  std::size_t i = run_count_ - 1;
  while (runs_[i].node > node) --i;
  return runs_[i];
}

// One node is asked often, in short calls, where a division shows.
int NodeLayout::node_of(int rank) const {
  if (nodes_ == 1) return 0;
  if (kind_ == Kind::kBlocks) {
    const Run& run = run_of_rank(rank);
    return run.node + (rank - run.rank) / run.size;
  }
  return kind_ == Kind::kCyclic ? rank % nodes_ : node_of_[static_cast<std::size_t>(rank)];
}

inter::RankList NodeLayout::members(int node) const {
  if (kind_ == Kind::kBlocks) {
    const Run& run = run_of_node(node);
    return inter::RankList::spaced(run.rank + (node - run.node) * run.size, 1, run.size);
  }
  if (kind_ == Kind::kCyclic) {
    return inter::RankList::spaced(node, nodes_, (ranks_ - node - 1) / nodes_ + 1);
  }
  const auto i = static_cast<std::size_t>(node);
  return inter::RankList::view(members_.data() + begin_[i], begin_[i + 1] - begin_[i]);
}

int NodeLayout::member_index(int rank) const {
  if (nodes_ == 1) return rank;
  if (kind_ == Kind::kBlocks) {
    const Run& run = run_of_rank(rank);
    return (rank - run.rank) % run.size;
  }
  if (kind_ == Kind::kCyclic) return rank / nodes_;
  const inter::RankList all = members(node_of(rank));
  return static_cast<int>(std::lower_bound(all.begin(), all.end(), rank) - all.begin());
}

int NodeLayout::first_position(int node) const {
  if (kind_ == Kind::kBlocks) {
    const Run& run = run_of_node(node);
    return run.rank + (node - run.node) * run.size;
  }
  if (kind_ == Kind::kCyclic) return node * (ranks_ / nodes_) + std::min(node, ranks_ % nodes_);
  return begin_[static_cast<std::size_t>(node)];
}

int NodeLayout::rank_at(int position) const {
  if (kind_ == Kind::kBlocks) return position;
  if (kind_ == Kind::kTable) return members_[static_cast<std::size_t>(position)];
  // The first `longer` nodes have one member more than the others.
  const int base = ranks_ / nodes_;
  const int longer = ranks_ % nodes_;
  const int in_longer = longer * (base + 1);
  if (position < in_longer) return position / (base + 1) + position % (base + 1) * nodes_;
  const int rest = position - in_longer;
  return longer + rest / base + rest % base * nodes_;
}

int* NodeLayout::move_table(int* memory, bool writes) {
  for (inter::IntTable* const table : {&node_of_, &members_, &begin_}) {
    memory = table->move_to(memory, writes);
  }
  return memory;
}

}  // namespace mpiactor
