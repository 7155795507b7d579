// Ranks of a communicator as ranks of the one that its messages go through.
#ifndef MPIACTOR_INTER_RANK_MAP_H_
#define MPIACTOR_INTER_RANK_MAP_H_

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "inter/int_table.h"

namespace mpiactor::inter {

class RankMap {
 public:
  // The same numbers.
  RankMap() = default;
  // Of rank 0, 1, ... A table only where they do not lie evenly apart.
  explicit RankMap(std::vector<int> targets) {
    if (targets.empty()) return;
    first_ = targets.front();
    if (targets.size() > 1) step_ = targets[1] - targets[0];
    for (std::size_t rank = 0; rank < targets.size(); ++rank) {
      if (targets[rank] == first_ + static_cast<int>(rank) * step_) continue;
      table_ = IntTable(std::move(targets));
      return;
    }
  }

  int to(int rank) const {
    return table_.empty() ? first_ + rank * step_ : table_[static_cast<std::size_t>(rank)];
  }
  // The rank that goes there; one does.
  int from(int target) const {
    if (table_.empty()) return (target - first_) / step_;
    return static_cast<int>(std::find(table_.begin(), table_.end(), target) - table_.begin());
  }

  // The table may lie in memory that several processes share, as IntTable::move_to() has it.
  std::size_t table_ints() const { return table_.size(); }
  int* move_table(int* memory, bool writes) { return table_.move_to(memory, writes); }

 private:
  int first_ = 0;
  int step_ = 1;
  IntTable table_;
};

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_RANK_MAP_H_
