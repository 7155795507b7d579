// What the files of this folder call of each other. The collectives themselves are reached by their
// entries (entries.h).
#ifndef MPIACTOR_ACTOR_INTERPOSE_INTERPOSE_H_
#define MPIACTOR_ACTOR_INTERPOSE_INTERPOSE_H_

#include <mpi.h>

namespace mpiactor::interpose {

// The MPI library has started these requests: begins the persistent collectives among them.
void on_started(const MPI_Request* requests, int count);
// The MPI library is going to free this request.
void on_freed(const MPI_Request* request);
// Forgets all persistent requests, and what they hold.
void finalise_persistent();

}  // namespace mpiactor::interpose

#endif  // MPIACTOR_ACTOR_INTERPOSE_INTERPOSE_H_
