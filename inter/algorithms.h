// The plan functions behind the registry's rows, one per file; but linear_exchanges.cc has five.
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
Plan bcast_split_binary(const PlanInput& input);

Plan reduce_chain(const PlanInput& input);
Plan reduce_binomial(const PlanInput& input);
Plan reduce_rabenseifner(const PlanInput& input);
Plan reduce_linear(const PlanInput& input);

Plan reduce_scatter_linear(const PlanInput& input);

Plan allreduce_ring(const PlanInput& input);
Plan allreduce_recursive_doubling(const PlanInput& input);
Plan allreduce_rabenseifner(const PlanInput& input);
Plan allreduce_linear(const PlanInput& input);
Plan allreduce_shares(const PlanInput& input);

Plan allgather_ring(const PlanInput& input);
Plan allgather_recursive_doubling(const PlanInput& input);
Plan allgather_bruck(const PlanInput& input);
Plan allgather_linear(const PlanInput& input);

Plan alltoall_bruck(const PlanInput& input);
Plan alltoall_linear(const PlanInput& input);
Plan alltoall_pairwise(const PlanInput& input);

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_ALGORITHMS_H_
