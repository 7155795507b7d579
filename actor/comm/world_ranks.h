// The ranks of a communicator in MPI_COMM_WORLD.
#ifndef MPIACTOR_ACTOR_COMM_WORLD_RANKS_H_
#define MPIACTOR_ACTOR_COMM_WORLD_RANKS_H_

#include <mpi.h>

#include <vector>

namespace mpiactor {

// Empty where one of them was not started with this job. Local, and so alike on all of this job's.
std::vector<int> world_ranks_of(MPI_Comm comm);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COMM_WORLD_RANKS_H_
