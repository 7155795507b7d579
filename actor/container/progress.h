// Whether the MPI library is doing something for this thread.
//
// Over UCX every turn of the MPI library's progress loop says how many events it handled; the
// runtime listens in (interpose/ucx_progress.cc). On other devices nothing is ever heard, and waits
// fall back to short sleeps, and nonblocking collectives to the MPI library: whoever waits in it
// would not go on with them.
#ifndef MPIACTOR_ACTOR_CONTAINER_PROGRESS_H_
#define MPIACTOR_ACTOR_CONTAINER_PROGRESS_H_

#include <cstdint>

namespace mpiactor {

// Events that the network layer has handled in this thread so far.
inline thread_local std::uint64_t network_events __attribute__((tls_model("initial-exec"))) = 0;

// Calls of the network layer's progress function that this thread is in: it may call itself.
inline thread_local int network_depth __attribute__((tls_model("initial-exec"))) = 0;

// Whether this thread has heard the MPI library's network layer at all.
inline thread_local bool hears_network __attribute__((tls_model("initial-exec"))) = false;

// Lets the MPI library work once; true where it handled something, so that it pays to go on.
bool let_mpi_progress();

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_PROGRESS_H_
