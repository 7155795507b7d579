// Binomial tree reduction: the broadcast's tree the other way. Children are combined nearest first,
// which is the order in which they are ready.
#include "inter/algorithms.h"
#include "inter/virtual_rank.h"

namespace mpiactor::inter {

Plan reduce_binomial(const PlanInput& input) {
  const VirtualRank ranks(input);
  const std::int64_t self = ranks.of_node(input.node);
  Plan plan;
  std::uint32_t combined = Plan::kNoOp;
  int round = 0;  // the channel: a node hears from one child a round
  for (std::int64_t distance = 1; distance < ranks.nodes; distance *= 2, ++round) {
    if ((self & distance) != 0) {
      plan.add({.kind = OpKind::kSend,
                .peer = ranks.to_node(static_cast<int>(self - distance)),
                .bytes = input.bytes,
                .channel = round},
               {combined});
      break;
    }
    if (self + distance >= ranks.nodes) continue;
    combined = plan.add({.kind = OpKind::kReceiveReduce,
                         .peer = ranks.to_node(static_cast<int>(self + distance)),
                         .bytes = input.bytes,
                         .channel = round},
                        {combined});
  }
  return plan;
}

}  // namespace mpiactor::inter
