// Communicators by a name that all their ranks know.
#ifndef MPIACTOR_ACTOR_TRACE_COMMUNICATORS_H_
#define MPIACTOR_ACTOR_TRACE_COMMUNICATORS_H_

#include <mpi.h>

#include <cstdint>
#include <memory>

namespace mpiactor::trace {

struct CommIdentity {
  // World rank of the communicator's rank 0 (upper half) and how many that one had named before.
  std::uint64_t id = 0;
  std::uint64_t calls = 0;  // recorded on it
  int ranks = 0;
  int rank = 0;
};

// nullptr for inter-communicators, for what is no communicator and for one that this thread is
// freeing. Collective over `comm` at its first call, a broadcast of 8 bytes from its rank 0; kept
// as an attribute of the communicator.
CommIdentity* identify(MPI_Comm comm);

// One more, for calls on `comm`, no inter-communicator, that have an order of their own. Collective
// over `comm`.
std::unique_ptr<CommIdentity> make_identity(MPI_Comm comm);

// Before the MPI library frees `comm`, under an Ending.
void forget(MPI_Comm comm);

void initialise_identities(int world_rank);
// Communicators that exist keep their identity until they are freed.
void finalise_identities();

}  // namespace mpiactor::trace

#endif  // MPIACTOR_ACTOR_TRACE_COMMUNICATORS_H_
