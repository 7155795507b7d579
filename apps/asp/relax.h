// The inner step of Floyd-Warshall: paths of some rows that go through some pivots.
#ifndef MPIACTOR_APPS_ASP_RELAX_H_
#define MPIACTOR_APPS_ASP_RELAX_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "apps/asp/distance_rows.h"

namespace mpiactor::asp {

// Most pivots that are relaxed together.
inline constexpr std::int32_t kMostPivots = 64;

// Copies of consecutive rows of the matrix, each taken once all earlier rows had been applied to
// it. A view: the copies belong to whoever made it.
struct Pivots {
  const Distance* entries = nullptr;
  std::size_t stride = 0;  // from row to row, in entries
  std::int32_t first = 0;  // number of the first row in the matrix
  std::int32_t count = 0;  // at most kMostPivots

  const Distance* row(std::int32_t index) const {
    return entries + static_cast<std::size_t>(index) * stride;
  }
};

// For each pivot k in turn, d[i][j] = min(d[i][j], d[i][k] + pivot[k][j]) for all columns j of the
// rows i = begin .. end - 1 of `rows`. A row is read and written once for all pivots, and a tile
// of the pivots stays in cache for several rows. Applying a pivot again does no harm.
void relax_rows(DistanceRows& rows, std::int32_t begin, std::int32_t end, const Pivots& pivots);

// `relax_rows` by several threads, which share the rows among themselves.
class Relaxer {
 public:
  // `threads` >= 1; one thread means the caller's, and no scheduler at all.
  explicit Relaxer(int threads);
  ~Relaxer();

  // All rows of `rows`.
  void relax(DistanceRows& rows, const Pivots& pivots);

 private:
  struct Threads;
  std::unique_ptr<Threads> threads_;  // null for one thread
};

}  // namespace mpiactor::asp

#endif  // MPIACTOR_APPS_ASP_RELAX_H_
