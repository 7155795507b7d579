// The graph from rank 0 to all ranks, and their distances back to rank 0.
#ifndef MPIACTOR_APPS_ASP_GRAPH_EXCHANGE_H_
#define MPIACTOR_APPS_ASP_GRAPH_EXCHANGE_H_

#include <mpi.h>

#include <functional>

#include "apps/asp/distance_rows.h"
#include "apps/asp/graph.h"
#include "apps/common/block_ranges.h"

namespace mpiactor::asp {

// Collective. Gives rank 0's graph to all ranks.
void broadcast_graph(Graph& graph, MPI_Comm comm);

// Collective. The summary of the whole matrix, on all ranks.
DistanceSummary summarize_all(const DistanceRows& rows, MPI_Comm comm);

// Collective. Calls `consume` on rank 0 with every row of the matrix (`columns` entries) in order;
// other ranks' rows pass through one buffer of a few MiB.
void visit_rows_on_root(const DistanceRows& rows, const apps::BlockRanges& blocks, MPI_Comm comm,
                        const std::function<void(const Distance* row)>& consume);

// Collective. Throws std::runtime_error on this rank where its rows cannot be in memory together
// with those of the other ranks of its machine.
void check_memory(const apps::BlockRanges& blocks, std::int32_t vertices, MPI_Comm comm);

}  // namespace mpiactor::asp

#endif  // MPIACTOR_APPS_ASP_GRAPH_EXCHANGE_H_
