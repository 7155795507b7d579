// Plans in which nothing is passed on: nodes send each other directly what they have for each
// other. The runtime runs them for scatter, gather, reduce, allgather, alltoall and others on few
// nodes; the simulator plays them.
#ifndef MPIACTOR_INTER_EXCHANGE_PLAN_H_
#define MPIACTOR_INTER_EXCHANGE_PLAN_H_

#include <cstdint>
#include <functional>
#include <span>

#include "inter/plan.h"

namespace mpiactor::inter {

// One message of a plan. `offset` and `bytes` of the buffers on either side; no bytes: none is
// sent.
struct Transfer {
  int peer = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};
// What becomes of what is received. Where it is combined, all receives are over one range.
enum class Intake { kPlace, kCombineInOrder, kCombineAsItComes };

// Node `node`'s plan: everything at once.
Plan exchange_plan(int node, int nodes, std::span<const Transfer> sends,
                   std::span<const Transfer> receives, Intake intake = Intake::kPlace);

// Node `node`'s operation with `peer` in round 0 or 1 of such a plan.
PlanOp exchange_op(OpKind kind, int node, int peer, int nodes, const ByteRange& range,
                   int round = 0);

// A plan for a reduction, without the order in which what comes is combined.
Plan combined_as_it_comes(Plan plan);

// A plan of reduce_scatter or allreduce by 'linear' or 'shares' (linear_exchanges.cc) for a node
// that keeps all that it has to combine, to do that at once: what comes from node i lies at
// slot_begin(i), the combined vector from `result_begin` on. Nothing is received over what is sent,
// so all may be received from the beginning; what is sent of the result waits for all slots.
Plan in_slots(const Plan& plan, std::uint64_t result_begin,
              const std::function<std::uint64_t(int node)>& slot_begin);

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_EXCHANGE_PLAN_H_
