// The timed part of the program: broadcasts, work, exchange.
#ifndef MPIACTOR_APPS_VCC_SOLVE_H_
#define MPIACTOR_APPS_VCC_SOLVE_H_

#include <mpi.h>

#include "apps/vcc/columns.h"
#include "apps/vcc/layout.h"
#include "apps/vcc/options.h"
#include "apps/vcc/report.h"
#include "apps/vcc/result_rows.h"

namespace mpiactor::vcc {

// Collective. Fills the times, the arrivals and the findings of `report`. Where computing is asleep
// there are no findings, and the entries of the result mean nothing.
ResultRows solve(const Options& options, int rank, const Layout& layout, Columns& own,
                 Report& report, MPI_Comm comm);

}  // namespace mpiactor::vcc

#endif  // MPIACTOR_APPS_VCC_SOLVE_H_
