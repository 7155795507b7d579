// Covariances and correlations of all variables over the ranks of a communicator.
#ifndef MPIACTOR_APPS_VCC_CORRELATE_ALL_H_
#define MPIACTOR_APPS_VCC_CORRELATE_ALL_H_

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "apps/common/arrivals.h"
#include "apps/common/progress.h"
#include "apps/vcc/columns.h"
#include "apps/vcc/layout.h"
#include "apps/vcc/result_rows.h"

namespace mpiactor::vcc {

// Where this rank's time went.
struct PhaseTimes {
  double total_s = 0.0;
  double compute_s = 0.0;    // centring and correlating
  double broadcast_s = 0.0;  // inside MPI_Bcast, waiting included
  double exchange_s = 0.0;   // giving each pair to the holder of its other variable
};

// Takes the piece number `piece` of the order, whose columns are `values`, with this rank's own;
// they were there at `begin_ns` of CLOCK_MONOTONIC.
using CorrelateStep =
    std::function<void(std::size_t piece, const double* values, std::int64_t begin_ns)>;

// Collective. One blocking MPI_Bcast a piece of `order`, rooted at the piece's owner, of which
// `arrivals` gets the entry time; `correlate` works on each as it comes. Then the rows of `results`
// are made whole. `own` are this rank's columns; nothing of them is changed.
PhaseTimes correlate_all(Columns& own, const Layout& layout, const std::vector<Piece>& order,
                         const CorrelateStep& correlate, ResultRows& results, MPI_Comm comm,
                         apps::ArrivalLog& arrivals, apps::Progress& progress);

}  // namespace mpiactor::vcc

#endif  // MPIACTOR_APPS_VCC_CORRELATE_ALL_H_
