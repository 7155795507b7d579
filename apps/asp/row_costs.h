// What the steps of Floyd-Warshall cost without taking them: which rows each step relaxes, and how
// long a row takes.
#ifndef MPIACTOR_APPS_ASP_ROW_COSTS_H_
#define MPIACTOR_APPS_ASP_ROW_COSTS_H_

#include <cstdint>
#include <random>
#include <vector>

#include "apps/asp/distance_rows.h"
#include "apps/asp/graph.h"
#include "apps/asp/relax.h"
#include "apps/common/asleep.h"
#include "apps/common/block_ranges.h"

namespace mpiactor::asp {

// Entry [rank * vertices + k]: rows of that rank that step k relaxes, since a path through lower
// vertices alone leads from them to k; all others are passed over. Floyd-Warshall on bits: takes
// vertices^2 / 8 bytes and about 1/64 of its time.
std::vector<std::int32_t> count_reaching_rows(const Graph& graph, const apps::BlockRanges& blocks,
                                              int ranks);

struct RowCosts {
  apps::UnitCosts relaxed{"relaxed_row"};
  apps::UnitCosts skipped{"skipped_row"};
};

// Times steps of `relaxer` on all of `rows`: all rows relaxed, then all passed over. Afterwards the
// entries of `rows` mean nothing.
RowCosts sample_row_costs(DistanceRows& rows, Relaxer& relaxer);

// ns of each step of a rank that holds `rows` rows, of which it relaxes `reaching[k]` in step k.
std::vector<double> draw_steps(const RowCosts& costs, const std::vector<std::int32_t>& reaching,
                               std::int32_t rows, std::mt19937_64& random);

}  // namespace mpiactor::asp

#endif  // MPIACTOR_APPS_ASP_ROW_COSTS_H_
