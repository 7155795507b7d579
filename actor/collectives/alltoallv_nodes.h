// Alltoallv on several nodes.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_ALLTOALLV_NODES_H_
#define MPIACTOR_ACTOR_COLLECTIVES_ALLTOALLV_NODES_H_

#include <mpi.h>

#include "actor/collectives/collectives.h"

namespace mpiactor {

// As hybrid_alltoallv().
VariableOutcome alltoallv_between_nodes(Container& container, MPI_Comm comm, RankBlocks& send,
                                        RankBlocks& recv);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_ALLTOALLV_NODES_H_
