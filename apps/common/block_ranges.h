// Which rank holds which of a row of things: consecutive blocks that differ by at most one.
#ifndef MPIACTOR_APPS_COMMON_BLOCK_RANGES_H_
#define MPIACTOR_APPS_COMMON_BLOCK_RANGES_H_

#include <cstdint>

namespace mpiactor::apps {

// `total` >= 0 things over `ranks` >= 1 ranks; ranks beyond the things hold none.
class BlockRanges {
 public:
  BlockRanges(std::int32_t total, int ranks) : total_(total), ranks_(ranks) {}

  int ranks() const { return static_cast<int>(ranks_); }
  std::int32_t begin(int rank) const {
    return static_cast<std::int32_t>(std::int64_t{rank} * total_ / ranks_);
  }
  std::int32_t end(int rank) const { return begin(rank + 1); }
  std::int32_t count(int rank) const { return end(rank) - begin(rank); }
  // The largest rank whose block begins at or before `thing` (0 <= thing < total).
  int owner(std::int32_t thing) const {
    return static_cast<int>((ranks_ * (std::int64_t{thing} + 1) - 1) / total_);
  }

 private:
  std::int64_t total_;
  std::int64_t ranks_;
};

}  // namespace mpiactor::apps

#endif  // MPIACTOR_APPS_COMMON_BLOCK_RANGES_H_
