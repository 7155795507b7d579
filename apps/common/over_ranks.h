// One number of every rank, summed up.
#ifndef MPIACTOR_APPS_COMMON_OVER_RANKS_H_
#define MPIACTOR_APPS_COMMON_OVER_RANKS_H_

#include <mpi.h>

namespace mpiactor::apps {

// Mean and maximum of one number over the ranks.
struct OverRanks {
  double mean = 0.0;
  double max = 0.0;
};

// Collective; the same on all ranks.
OverRanks over_ranks(double mine, MPI_Comm comm);

}  // namespace mpiactor::apps

#endif  // MPIACTOR_APPS_COMMON_OVER_RANKS_H_
