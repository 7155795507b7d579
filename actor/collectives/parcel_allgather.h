// Allgather of blocks of a few KiB on one node: everybody lays its block down in its own outbox and
// takes the others' from theirs, so that nobody has to wait for a leader to take staging for all.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_PARCEL_ALLGATHER_H_
#define MPIACTOR_ACTOR_COLLECTIVES_PARCEL_ALLGATHER_H_

#include <mpi.h>

#include "actor/collectives/rank_blocks.h"
#include "actor/container/container.h"

namespace mpiactor {

// All ranks on one node. Arguments as hybrid_allgather()'s. False, on all ranks: there are no
// outboxes, or some block is too long for them.
bool parcel_allgather(Container& container, MPI_Comm comm, RankBlocks& mine, RankBlocks& all);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_PARCEL_ALLGATHER_H_
