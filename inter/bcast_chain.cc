// Chain broadcast: virtual rank v hands every segment on to v + 1 as soon as it is there. Deepest
// of all, but every node receives and sends the message just once: the choice for long messages on
// few nodes.
#include "inter/algorithms.h"
#include "inter/virtual_rank.h"

namespace mpiactor::inter {

Plan bcast_chain(const PlanInput& input) {
  const VirtualRank ranks(input);
  const int self = ranks.of_node(input.node);
  Plan plan;
  std::uint32_t receive = Plan::kNoOp;
  if (self > 0) {
    receive =
        plan.add({.kind = OpKind::kReceive, .peer = ranks.to_node(self - 1), .bytes = input.bytes});
  }
  if (self + 1 < ranks.nodes) {
    plan.add({.kind = OpKind::kSend, .peer = ranks.to_node(self + 1), .bytes = input.bytes},
             {receive});
  }
  return plan;
}

}  // namespace mpiactor::inter
