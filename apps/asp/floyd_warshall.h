// All-pairs shortest paths over the ranks of a communicator.
#ifndef MPIACTOR_APPS_ASP_FLOYD_WARSHALL_H_
#define MPIACTOR_APPS_ASP_FLOYD_WARSHALL_H_

#include <mpi.h>

#include <cstdint>
#include <functional>

#include "apps/asp/distance_rows.h"
#include "apps/asp/relax.h"
#include "apps/common/arrivals.h"
#include "apps/common/block_ranges.h"
#include "apps/common/progress.h"

namespace mpiactor::asp {

// Where this rank's time went.
struct PhaseTimes {
  double total_s = 0.0;
  double compute_s = 0.0;    // relaxing
  double broadcast_s = 0.0;  // inside MPI_Bcast, waiting included
};

// Relaxes all rows of a rank by the pivots that it has received; they were there at `begin_ns` of
// CLOCK_MONOTONIC.
using RelaxStep =
    std::function<void(DistanceRows& rows, const Pivots& pivots, std::int64_t begin_ns)>;

// Collective. Turns rows of arc lengths into rows of distances; `rows` is this rank's block of
// `blocks`. For k = 0 .. N-1 the owner of row k broadcasts it by one blocking MPI_Bcast, of which
// `arrivals` gets the entry time. After every `batch` (1 .. kMostPivots) broadcasts all ranks
// take a step `relax` with the rows received; 1 is the classic program. In between, an owner
// relaxes just its rows that are still to be broadcast in the batch. The result does not depend on
// `batch`, ranks or threads.
PhaseTimes floyd_warshall(DistanceRows& rows, const apps::BlockRanges& blocks, std::int32_t batch,
                          const RelaxStep& relax, MPI_Comm comm, apps::ArrivalLog& arrivals,
                          apps::Progress& progress);

}  // namespace mpiactor::asp

#endif  // MPIACTOR_APPS_ASP_FLOYD_WARSHALL_H_
