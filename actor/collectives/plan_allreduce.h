// Allreduces of which nodes run the plan that settings, a tuning table or the selection choose.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_PLAN_ALLREDUCE_H_
#define MPIACTOR_ACTOR_COLLECTIVES_PLAN_ALLREDUCE_H_

#include "actor/collectives/hybrid.h"

namespace mpiactor {

// On two nodes and more.
void plan_allreduce(Container& container, MPI_Comm comm, const Vector& vector,
                    const Reduction& reduction);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_PLAN_ALLREDUCE_H_
