// Allreduce of long vectors on few nodes, of which each combines a share of every block for all
// (node_shares.h).
#ifndef MPIACTOR_ACTOR_COLLECTIVES_SHARES_ALLREDUCE_H_
#define MPIACTOR_ACTOR_COLLECTIVES_SHARES_ALLREDUCE_H_

#include "actor/collectives/hybrid.h"

namespace mpiactor {

// Arguments as hybrid_allreduce() has them. False, on all ranks: this is no way for them, nothing
// was done.
bool shares_allreduce(Container& container, MPI_Comm comm, const Vector& vector,
                      const Reduction& reduction);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_SHARES_ALLREDUCE_H_
