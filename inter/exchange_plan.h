// Plans in which nothing is passed on: nodes send each other directly what they have for each
// other. The runtime runs them for scatter, gather, reduce, allgather, alltoall and others on few
// nodes; the simulator plays them.
#ifndef MPIACTOR_INTER_EXCHANGE_PLAN_H_
#define MPIACTOR_INTER_EXCHANGE_PLAN_H_

#include <cstdint>
#include <span>

#include "inter/plan.h"

namespace mpiactor::inter {

// One message of a plan. `offset` and `bytes` of the buffers on either side; no bytes: none is
// sent.
struct Transfer {
  int peer = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  int round = 0;  // 0 or 1: what is sent in round 1 waits for all that is received in round 0
};
// What becomes of what is received. Where it is combined, all receives are over one range.
enum class Intake { kPlace, kCombineInOrder, kCombineAsItComes };

// Node `node`'s plan: everything at once.
Plan exchange_plan(int node, int nodes, std::span<const Transfer> sends,
                   std::span<const Transfer> receives, Intake intake = Intake::kPlace);

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_EXCHANGE_PLAN_H_
