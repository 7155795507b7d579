// Between the exported functions (entries.cc, which knows no MPI type) and the runtime.
#ifndef MPIACTOR_ACTOR_INTERPOSE_INTERPOSE_H_
#define MPIACTOR_ACTOR_INTERPOSE_INTERPOSE_H_

#include <mpi.h>

namespace mpiactor::interpose {

// Handled, or passed on to the MPI library: always the complete MPI_Bcast. `large`: MPI_Bcast_c.
int bcast(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm, bool large);

}  // namespace mpiactor::interpose

#endif  // MPIACTOR_ACTOR_INTERPOSE_INTERPOSE_H_
