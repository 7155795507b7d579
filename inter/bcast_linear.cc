// Basic linear broadcast: the root sends the whole message to every other node. One hop deep, but
// the root alone does all the sending.
#include "inter/algorithms.h"
#include "inter/virtual_rank.h"

namespace mpiactor::inter {

Plan bcast_linear(const PlanInput& input) {
  const VirtualRank ranks(input);
  Plan plan;
  if (input.node != input.root_node) {
    plan.add({.kind = OpKind::kReceive, .peer = input.root_node, .bytes = input.bytes});
    return plan;
  }
  plan.ops.reserve(static_cast<std::size_t>(ranks.nodes - 1));
  for (int child = 1; child < ranks.nodes; ++child) {
    plan.add({.kind = OpKind::kSend, .peer = ranks.to_node(child), .bytes = input.bytes});
  }
  return plan;
}

}  // namespace mpiactor::inter
