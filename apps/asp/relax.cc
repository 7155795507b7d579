#include "apps/asp/relax.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>

// One build serves every x86-64 processor: the loader picks the widest vectors. Sanitizers do not
// survive the loader's early call of the chooser.
#if defined(__x86_64__) && defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define MPIACTOR_ASP_WIDEST_VECTORS \
  __attribute__((target_clones("avx512f", "avx2", "sse4.1", "default")))
#else
#define MPIACTOR_ASP_WIDEST_VECTORS
#endif

namespace mpiactor::asp {
namespace {

// Rows that share a tile of the pivots while it is in cache.
constexpr std::int32_t kRowsTogether = 16;
// Entries of all pivots' tiles together (16 KiB, half a first-level cache), and least tile width.
constexpr std::int32_t kTileEntries = 4096;
constexpr std::int32_t kLeastTile = 512;
// Pivots that one pass over a row applies: as many as keep the loop free of memory stalls.
constexpr std::int32_t kFused = 4;

MPIACTOR_ASP_WIDEST_VECTORS
void relax_by_one(Distance* __restrict row, const Distance* __restrict pivot, Distance via,
                  std::int32_t columns) {
  for (std::int32_t j = 0; j < columns; ++j) row[j] = std::min(row[j], via + pivot[j]);
}

MPIACTOR_ASP_WIDEST_VECTORS
void relax_by_four(Distance* __restrict row, const Distance* __restrict pivot0,
                   const Distance* __restrict pivot1, const Distance* __restrict pivot2,
                   const Distance* __restrict pivot3, const Distance* via, std::int32_t columns) {
  const Distance via0 = via[0];
  const Distance via1 = via[1];
  const Distance via2 = via[2];
  const Distance via3 = via[3];
  for (std::int32_t j = 0; j < columns; ++j) {
    const Distance low = std::min(via0 + pivot0[j], via1 + pivot1[j]);
    const Distance high = std::min(via2 + pivot2[j], via3 + pivot3[j]);
    row[j] = std::min(row[j], std::min(low, high));
  }
}

// Distances from one row's vertex to each pivot's.
using Vias = std::array<Distance, kMostPivots>;

// Relaxes the pivots' own columns of one row, pivot by pivot, and so learns the distance to each
// pivot at its turn; the other columns then need no order among themselves.
void find_vias(Distance* row, const Pivots& pivots, Vias& vias) {
  const std::int32_t first = pivots.first;
  for (std::int32_t k = 0; k < pivots.count; ++k) {
    const auto via = vias[static_cast<std::size_t>(k)] = row[first + k];
    if (via == kUnreachable || pivots.count == 1) continue;
    relax_by_one(row + first, pivots.row(k) + first, via, pivots.count);
  }
}

void relax_tile(Distance* row, const Pivots& pivots, const Vias& vias, std::int32_t begin,
                std::int32_t width) {
  const std::int32_t count = pivots.count;
  const auto tile = [&](std::int32_t k) { return pivots.row(k) + begin; };
  std::int32_t k = 0;
  for (; k + kFused <= count; k += kFused) {
    const Distance* via = &vias[static_cast<std::size_t>(k)];
    if (*std::min_element(via, via + kFused) == kUnreachable) continue;
    relax_by_four(row + begin, tile(k), tile(k + 1), tile(k + 2), tile(k + 3), via, width);
  }
  for (; k < count; ++k) {
    const Distance via = vias[static_cast<std::size_t>(k)];
    if (via != kUnreachable) relax_by_one(row + begin, tile(k), via, width);
  }
}

}  // namespace

void relax_rows(DistanceRows& rows, std::int32_t begin, std::int32_t end, const Pivots& pivots) {
  if (pivots.count == 0) return;
  const std::int32_t columns = rows.columns();
  const std::int32_t tile = std::max(kLeastTile, kTileEntries / pivots.count);
  std::array<Vias, kRowsTogether> vias;
  for (std::int32_t group = begin; group < end; group += kRowsTogether) {
    const std::int32_t together = std::min(kRowsTogether, end - group);
    for (std::int32_t i = 0; i < together; ++i) {
      find_vias(rows.row(group + i), pivots, vias[static_cast<std::size_t>(i)]);
    }
    for (std::int32_t j = 0; j < columns; j += tile) {
      for (std::int32_t i = 0; i < together; ++i) {
        relax_tile(rows.row(group + i), pivots, vias[static_cast<std::size_t>(i)], j,
                   std::min(tile, columns - j));
      }
    }
  }
}

struct Relaxer::Threads {
  // Raises the library's own limit, which follows the processors that it sees.
  explicit Threads(int threads)
      : limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)),
        arena(threads) {}
  tbb::global_control limit;
  tbb::task_arena arena;
};

Relaxer::Relaxer(int threads)
    : threads_(threads > 1 ? std::make_unique<Threads>(threads) : nullptr) {}

Relaxer::~Relaxer() = default;

void Relaxer::relax(DistanceRows& rows, const Pivots& pivots) {
  if (!threads_) {
    relax_rows(rows, rows.begin(), rows.end(), pivots);
    return;
  }
  threads_->arena.execute([&] {
    // Static: each thread meets the same rows at every step, still in its cache.
    tbb::parallel_for(
        tbb::blocked_range<std::int32_t>(rows.begin(), rows.end(), kRowsTogether),
        [&](const auto& part) { relax_rows(rows, part.begin(), part.end(), pivots); },
        tbb::static_partitioner());
  });
}

}  // namespace mpiactor::asp
