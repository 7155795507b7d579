// Binomial tree broadcast: in round k every virtual rank that holds the message sends it to the one
// a power of two further on, so the number of holders doubles with every round.
#include "inter/algorithms.h"
#include "inter/virtual_rank.h"

namespace mpiactor::inter {

Plan bcast_binomial(const PlanInput& input) {
  const VirtualRank ranks(input);
  const std::int64_t self = ranks.of_node(input.node);
  Plan plan;
  std::uint32_t receive = Plan::kNoOp;
  // The subtree of a virtual rank spans as many ranks as its lowest set bit says; the root's all.
  std::int64_t span = 1;
  while (span < ranks.nodes && (self & span) == 0) span *= 2;
  if (self > 0) {
    receive = plan.add({.kind = OpKind::kReceive,
                        .peer = ranks.to_node(static_cast<int>(self - span)),
                        .bytes = input.bytes});
  }
  // The farthest child heads the deepest subtree and is served first.
  for (std::int64_t distance = span / 2; distance > 0; distance /= 2) {
    if (self + distance >= ranks.nodes) continue;
    plan.add({.kind = OpKind::kSend,
              .peer = ranks.to_node(static_cast<int>(self + distance)),
              .bytes = input.bytes},
             {receive});
  }
  return plan;
}

}  // namespace mpiactor::inter
