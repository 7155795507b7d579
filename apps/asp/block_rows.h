// Which rank holds which rows: consecutive blocks that differ by at most one row.
#ifndef MPIACTOR_APPS_ASP_BLOCK_ROWS_H_
#define MPIACTOR_APPS_ASP_BLOCK_ROWS_H_

#include <cstdint>

namespace mpiactor::asp {

// `rows` >= 0 rows over `ranks` >= 1 ranks; ranks beyond the rows hold none.
class BlockRows {
 public:
  BlockRows(std::int32_t rows, int ranks) : rows_(rows), ranks_(ranks) {}

  std::int32_t begin(int rank) const {
    return static_cast<std::int32_t>(std::int64_t{rank} * rows_ / ranks_);
  }
  std::int32_t end(int rank) const { return begin(rank + 1); }
  std::int32_t count(int rank) const { return end(rank) - begin(rank); }
  // The largest rank whose block begins at or before `row` (0 <= row < rows).
  int owner(std::int32_t row) const {
    return static_cast<int>((std::int64_t{ranks_} * (std::int64_t{row} + 1) - 1) / rows_);
  }

 private:
  std::int64_t rows_;
  std::int64_t ranks_;
};

}  // namespace mpiactor::asp

#endif  // MPIACTOR_APPS_ASP_BLOCK_ROWS_H_
