// The plan functions of the algorithms that look at the torus.
#ifndef MPIACTOR_INTER_TOFU_ALGOS_ALGORITHMS_H_
#define MPIACTOR_INTER_TOFU_ALGOS_ALGORITHMS_H_

#include "inter/plan.h"

namespace mpiactor::inter {

Plan bcast_pipeline(const PlanInput& input);
Plan bcast_trinaryx3(const PlanInput& input);
Plan bcast_trinaryx6(const PlanInput& input);
Plan bcast_bintree3d(const PlanInput& input);
Plan bcast_bintree6d(const PlanInput& input);
Plan bcast_bine(const PlanInput& input);
Plan bcast_bine_scattered(const PlanInput& input);
Plan reduce_trinaryx3(const PlanInput& input);
Plan allreduce_trinaryx3(const PlanInput& input);
Plan reduce_bine(const PlanInput& input);
Plan allreduce_swing(const PlanInput& input);
Plan allreduce_swing_short(const PlanInput& input);
Plan allgather_multi_ring(const PlanInput& input);
Plan alltoall_doublespread(const PlanInput& input);

// Streams that the plan has on a shape.
int trinaryx3_streams(const Shape& shape);
int trinaryx6_streams(const Shape& shape);
int bintree6d_streams(const Shape& shape);
int swing_streams(const Shape& shape);
int multi_ring_streams(const Shape& shape);
int doublespread_streams(const Shape& shape);

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_TOFU_ALGOS_ALGORITHMS_H_
