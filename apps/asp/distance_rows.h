// Consecutive rows of the distance matrix, in memory of this rank.
#ifndef MPIACTOR_APPS_ASP_DISTANCE_ROWS_H_
#define MPIACTOR_APPS_ASP_DISTANCE_ROWS_H_

#include <tbb/cache_aligned_allocator.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/asp/graph.h"

namespace mpiactor::asp {

// Rows begin .. end - 1 of a matrix with `columns` columns. Each row starts on a cache line of its
// own; `stride()` is the step from row to row, in entries.
class DistanceRows {
 public:
  // All entries kUnreachable. Throws std::bad_alloc.
  DistanceRows(std::int32_t begin, std::int32_t end, std::int32_t columns);

  // Entry (u, v): 0 on the diagonal, else the shortest arc u -> v, else kUnreachable.
  static DistanceRows from_graph(const Graph& graph, std::int32_t begin, std::int32_t end);

  // Bytes that the constructor takes; a real number, since no size is too large to ask about.
  static double bytes(std::int32_t rows, std::int32_t columns);

  std::int32_t begin() const { return begin_; }
  std::int32_t end() const { return end_; }
  std::int32_t count() const { return end_ - begin_; }
  std::int32_t columns() const { return columns_; }
  std::size_t stride() const { return stride_; }

  // `row` counts in the whole matrix.
  Distance* row(std::int32_t row) { return entries_.data() + offset(row); }
  const Distance* row(std::int32_t row) const { return entries_.data() + offset(row); }

 private:
  std::size_t offset(std::int32_t row) const {
    return static_cast<std::size_t>(row - begin_) * stride_;
  }

  std::int32_t begin_;
  std::int32_t end_;
  std::int32_t columns_;
  std::size_t stride_;
  std::vector<Distance, tbb::cache_aligned_allocator<Distance>> entries_;
};

// What a matrix, or some rows of it, come to.
struct DistanceSummary {
  std::uint64_t reachable = 0;  // pairs (u, v) with a path from u to v; (u, u) is one
  std::uint64_t sum = 0;        // of their distances
  Distance max = 0;             // of their distances
};

DistanceSummary summarize(const DistanceRows& rows);

}  // namespace mpiactor::asp

#endif  // MPIACTOR_APPS_ASP_DISTANCE_ROWS_H_
