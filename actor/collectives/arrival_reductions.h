// Allreduce and reduce of long vectors that are combined as their owners arrive
// (running_result.h). Arguments as collectives.h has them.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_ARRIVAL_REDUCTIONS_H_
#define MPIACTOR_ACTOR_COLLECTIVES_ARRIVAL_REDUCTIONS_H_

#include "actor/collectives/collectives.h"
#include "inter/tuning.h"

namespace mpiactor {

// Results are the same bits on every rank.
void arrival_allreduce(Container& container, MPI_Comm comm, const Vector& vector,
                       const Reduction& reduction);
// `way`: as RootPlan's.
void arrival_reduce(Container& container, MPI_Comm comm, inter::Way way, const Vector& vector,
                    const Reduction& reduction, int root);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_ARRIVAL_REDUCTIONS_H_
