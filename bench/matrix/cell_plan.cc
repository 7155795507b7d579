#include "bench/matrix/cell_plan.h"

#include <algorithm>

namespace mpiactor::bench {
namespace {

std::int64_t buffer_bytes(Blocks blocks, std::int64_t block_bytes, int ranks) {
  if (blocks == Blocks::kNone) return 0;
  return blocks == Blocks::kOne ? block_bytes : block_bytes * ranks;
}

std::vector<Cell> all_cells(const std::vector<const Collective*>& collectives,
                            const std::vector<std::int64_t>& sizes_bytes, Roots roots,
                            int under_way) {
  std::vector<Cell> cells;
  for (const Collective* collective : collectives) {
    const bool has_data = collective->receive != Blocks::kNone;
    for (const bool rotating : {false, true}) {
      const bool wanted = is_rooted(*collective)
                              ? roots == Roots::kBoth || rotating == (roots == Roots::kRotate)
                              : !rotating;
      if (!wanted) continue;
      for (const std::int64_t bytes : has_data ? sizes_bytes : std::vector<std::int64_t>{0}) {
        cells.push_back({.collective = collective,
                         .bytes = bytes,
                         .rotating = rotating,
                         .under_way = collective->begin ? under_way : 1});
      }
    }
  }
  return cells;
}

}  // namespace

BufferBytes needed_bytes(const Cell& cell, int ranks) {
  return {.send = buffer_bytes(cell.collective->send, cell.bytes, ranks),
          .receive = cell.under_way * buffer_bytes(cell.collective->receive, cell.bytes, ranks)};
}

CellPlan plan_cells(const std::vector<const Collective*>& collectives,
                    const std::vector<std::int64_t>& sizes_bytes, Roots roots, int under_way,
                    int ranks, std::int64_t limit_bytes) {
  CellPlan plan;
  for (const Cell& cell : all_cells(collectives, sizes_bytes, roots, under_way)) {
    const BufferBytes needed = needed_bytes(cell, ranks);
    if (needed.send + needed.receive > limit_bytes) {
      plan.skipped.push_back(cell);
      continue;
    }
    plan.cells.push_back(cell);
    plan.largest.send = std::max(plan.largest.send, needed.send);
    plan.largest.receive = std::max(plan.largest.receive, needed.receive);
  }
  return plan;
}

}  // namespace mpiactor::bench
