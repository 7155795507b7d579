// Chain reduction: virtual rank v combines what comes from v + 1 with its own and hands it on to v
// - 1, segment by segment. Every node sends the message just once.
#include "inter/algorithms.h"
#include "inter/virtual_rank.h"

namespace mpiactor::inter {

Plan reduce_chain(const PlanInput& input) {
  const VirtualRank ranks(input);
  const int self = ranks.of_node(input.node);
  Plan plan;
  std::uint32_t combined = Plan::kNoOp;
  if (self + 1 < ranks.nodes) {
    combined = plan.add(
        {.kind = OpKind::kReceiveReduce, .peer = ranks.to_node(self + 1), .bytes = input.bytes});
  }
  if (self > 0) {
    plan.add({.kind = OpKind::kSend, .peer = ranks.to_node(self - 1), .bytes = input.bytes},
             {combined});
  }
  return plan;
}

}  // namespace mpiactor::inter
