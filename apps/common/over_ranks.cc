#include "apps/common/over_ranks.h"

namespace mpiactor::apps {

OverRanks over_ranks(double mine, MPI_Comm comm) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  OverRanks result;
  MPI_Allreduce(&mine, &result.mean, 1, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Allreduce(&mine, &result.max, 1, MPI_DOUBLE, MPI_MAX, comm);
  result.mean /= ranks;
  return result;
}

}  // namespace mpiactor::apps
