// Whether a collective's arguments are such that the runtime may work with them. What is not goes
// to the MPI library, which knows the right error.
#ifndef MPIACTOR_ACTOR_INTERPOSE_ARGUMENTS_H_
#define MPIACTOR_ACTOR_INTERPOSE_ARGUMENTS_H_

#include <mpi.h>

#include "actor/container/world.h"

namespace mpiactor::interpose {

// The MPI library's own checks of buffer, count and type: on a communicator of one process a
// broadcast does nothing else.
inline bool is_valid(const void* buffer, MPI_Count count, MPI_Datatype type) {
  return buffer != MPI_IN_PLACE &&
         PMPI_Bcast_c(const_cast<void*>(buffer), count, type, 0, world()->self_comm) == MPI_SUCCESS;
}

// Arrays of counts, of which none is negative, and displacements.
inline bool are_valid(const int* counts, const int* displacements, int ranks) {
  if (!counts || !displacements) return false;
  for (int rank = 0; rank < ranks; ++rank) {
    if (counts[rank] < 0) return false;
  }
  return true;
}

}  // namespace mpiactor::interpose

#endif  // MPIACTOR_ACTOR_INTERPOSE_ARGUMENTS_H_
