// A broadcast down trees on nodes of which some come late, as plans: who serves whom, where it is
// known beforehand when nodes come. The engine finds it out as it goes (engine_late.cc); the
// simulator plays these plans, and the verifier checks them.
#ifndef MPIACTOR_INTER_PAST_LATE_NODES_H_
#define MPIACTOR_INTER_PAST_LATE_NODES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "inter/plan.h"
#include "inter/registry.h"

namespace mpiactor::inter {

// All times in one unit, the caller's.
struct NodeTimes {
  // When each node comes.
  std::span<const std::uint64_t> arrivals;
  // When each node would have the whole message if all came at 0; the root's entry is 0.
  std::span<const std::uint64_t> balanced;
  // So long a node that has the message waits for a late child before it offers itself to the nodes
  // right below that one; twice as long for each level further down. As long a node waits for its
  // bytes before it asks.
  std::uint64_t patience = 0;
};

struct ServedPlans {
  std::vector<Plan> plans;  // one a node
  // When each operation of each plan may begin: where its node comes, or, to a node that is served
  // in place of a late one, when it has asked.
  std::vector<std::vector<std::uint64_t>> starts;
  int adopted = 0;  // edges that are not as in the algorithm's plans
};

// `algorithm` is of trees (Algorithm::is_of_trees). A node is served by the node above it that can
// be first: its parent when that has the bytes, or one further up whose child on the way has not
// come by then (and which serves no more than kMostAdopted nodes out of turn). Whoever of the nodes
// between comes earlier serves as planned.
ServedPlans past_late_nodes(const Algorithm& algorithm, const PlanInput& input,
                            const NodeTimes& times);

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_PAST_LATE_NODES_H_
