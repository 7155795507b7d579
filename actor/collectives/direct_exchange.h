// Allgather and alltoall of long blocks on one node by single copy.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_DIRECT_EXCHANGE_H_
#define MPIACTOR_ACTOR_COLLECTIVES_DIRECT_EXCHANGE_H_

#include "actor/buffers/rank_blocks.h"
#include "actor/container/container.h"

namespace mpiactor {

// All ranks on one node, container.single_copy(). Arguments as hybrid_allgather()'s and
// hybrid_alltoall()'s. False, on all ranks: some rank's buffers cannot be read or written as they
// lie (gaps; alltoall: in place), or a read failed. Nothing that was to be sent has changed then.
bool direct_allgather(Container& container, RankBlocks& mine, RankBlocks& all);
bool direct_alltoall(Container& container, RankBlocks& send, RankBlocks& recv);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_DIRECT_EXCHANGE_H_
