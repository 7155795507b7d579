// Plans in which nothing is passed on: nodes send each other directly what they have for each
// other, everything at once (inter/exchange_plan.h).
#ifndef MPIACTOR_SIM_DIRECT_PLAN_H_
#define MPIACTOR_SIM_DIRECT_PLAN_H_

#include <functional>

#include "inter/plan.h"

namespace mpiactor::sim {

// What node `from` has for node `to`, another one; no bytes: nothing is sent.
using BetweenNodes = std::function<inter::ByteRange(int from, int to)>;

// `combines`: what is received is combined, in the order of the nodes; all ranges are the same
// then.
inter::Plan direct_plan(int node, int nodes, const BetweenNodes& between, bool combines);

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_DIRECT_PLAN_H_
