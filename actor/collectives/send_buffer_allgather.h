// Allgather of blocks of a few KiB on one node: everybody lays its block down in its own send
// buffer and takes the others' from theirs, so that nobody has to wait for a leader to take staging
// for all.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_SEND_BUFFER_ALLGATHER_H_
#define MPIACTOR_ACTOR_COLLECTIVES_SEND_BUFFER_ALLGATHER_H_

#include <mpi.h>

#include "actor/buffers/rank_blocks.h"
#include "actor/container/container.h"

namespace mpiactor {

// All ranks on one node. Arguments as hybrid_allgather()'s. False, on all ranks: there are no
// send buffers, or some block is too long for them.
bool send_buffer_allgather(Container& container, MPI_Comm comm, RankBlocks& mine, RankBlocks& all);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_SEND_BUFFER_ALLGATHER_H_
