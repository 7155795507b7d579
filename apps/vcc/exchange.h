// Data from rank 0 to the ranks, and results among the ranks and back to rank 0.
#ifndef MPIACTOR_APPS_VCC_EXCHANGE_H_
#define MPIACTOR_APPS_VCC_EXCHANGE_H_

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "apps/vcc/columns.h"
#include "apps/vcc/data_table.h"
#include "apps/vcc/layout.h"
#include "apps/vcc/result_rows.h"

namespace mpiactor::vcc {

// Collective. Gives every rank its columns of rank 0's `table`.
void distribute(const DataTable& table, const Layout& layout, Columns& own, MPI_Comm comm);

// Collective. How many values of each variable are not missing, on all ranks.
std::vector<std::int64_t> present_counts(const Columns& own, const Layout& layout, MPI_Comm comm);

// Collective. Every pair has been computed by the holder of one of its variables
// (Layout::computed_by_holder); gives it to the holder of the other one, so that rows are whole.
void mirror(ResultRows& results, const Layout& layout, MPI_Comm comm);

// Collective. Calls `consume` on rank 0 with every row of both matrices in order; other ranks' rows
// pass through a buffer of one row.
void visit_rows_on_root(const ResultRows& results, const Layout& layout, MPI_Comm comm,
                        const std::function<void(std::int32_t row, const double* covariance,
                                                 const double* correlation)>& consume);

}  // namespace mpiactor::vcc

#endif  // MPIACTOR_APPS_VCC_EXCHANGE_H_
