// The plan functions behind the registry's rows, one per file.
#ifndef MPIACTOR_INTER_ALGORITHMS_H_
#define MPIACTOR_INTER_ALGORITHMS_H_

#include "inter/plan.h"

namespace mpiactor::inter {

Plan bcast_linear(const PlanInput& input);
Plan bcast_chain(const PlanInput& input);
Plan bcast_binary(const PlanInput& input);
Plan bcast_binomial(const PlanInput& input);
Plan bcast_rdaas(const PlanInput& input);
Plan bcast_ring(const PlanInput& input);

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_ALGORITHMS_H_
