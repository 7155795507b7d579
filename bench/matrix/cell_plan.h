// Which collectives are measured at which sizes, and which are too large for the memory.
#ifndef MPIACTOR_BENCH_MATRIX_CELL_PLAN_H_
#define MPIACTOR_BENCH_MATRIX_CELL_PLAN_H_

#include <cstdint>
#include <vector>

#include "bench/matrix/collective.h"

namespace mpiactor::bench {

// One row of the resulting table.
struct Cell {
  const Collective* collective = nullptr;
  std::int64_t bytes = 0;  // of a block; 0 for MPI_Barrier
  bool rotating = false;   // repetition i has root i mod ranks; else it is always the same
  int under_way = 1;       // nonblocking calls that begin before the first one is waited for
};

// Which roots rooted collectives have. MPI libraries can be several times faster where it is always
// the same rank that sends, so the two are cells of their own.
enum class Roots { kFixed, kRotate, kBoth };

// Bytes of a rank's buffers.
struct BufferBytes {
  std::int64_t send = 0;
  std::int64_t receive = 0;
};

// What a rank needs for a cell, as the root where there is one: calls that are under way together
// have a receive buffer each.
BufferBytes needed_bytes(const Cell& cell, int ranks);

struct CellPlan {
  std::vector<Cell> cells;    // collective by collective, fixed roots first, sizes as given
  std::vector<Cell> skipped;  // need more than the limit
  BufferBytes largest;        // over `cells`
};

// MPI_Barrier has one cell, whatever the sizes. `under_way` is of nonblocking collectives;
// `limit_bytes` is for both buffers of a rank.
CellPlan plan_cells(const std::vector<const Collective*>& collectives,
                    const std::vector<std::int64_t>& sizes_bytes, Roots roots, int under_way,
                    int ranks, std::int64_t limit_bytes);

}  // namespace mpiactor::bench

#endif  // MPIACTOR_BENCH_MATRIX_CELL_PLAN_H_
