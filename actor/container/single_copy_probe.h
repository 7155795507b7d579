// Whether the members of a node can read each other's memory.
#ifndef MPIACTOR_ACTOR_CONTAINER_SINGLE_COPY_PROBE_H_
#define MPIACTOR_ACTOR_CONTAINER_SINGLE_COPY_PROBE_H_

#include <mpi.h>

#include <string>

namespace mpiactor {

// Collective over `comm`, whose ranks share a machine: each reads a word of the next one's. Every
// rank then has read and was read, which is all that permissions depend on. The same answer on all
// ranks; where it is no, the lowest rank that could not read gets `why`.
bool members_read_each_other(MPI_Comm comm, std::string& why);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_SINGLE_COPY_PROBE_H_
