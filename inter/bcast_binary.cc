// Binary tree broadcast, the heap numbering: virtual rank v has children 2v + 1 and 2v + 2.
// Logarithmic depth with at most two sends a node, so it keeps its pace when pipelined.
#include "inter/algorithms.h"
#include "inter/virtual_rank.h"

namespace mpiactor::inter {

Plan bcast_binary(const PlanInput& input) {
  const VirtualRank ranks(input);
  const int self = ranks.of_node(input.node);
  Plan plan;
  std::uint32_t receive = Plan::kNoOp;
  if (self > 0) {
    receive = plan.add(
        {.kind = OpKind::kReceive, .peer = ranks.to_node((self - 1) / 2), .bytes = input.bytes});
  }
  for (std::int64_t child = 2 * std::int64_t{self} + 1; child <= 2 * std::int64_t{self} + 2;
       ++child) {
    if (child >= ranks.nodes) break;
    plan.add({.kind = OpKind::kSend,
              .peer = ranks.to_node(static_cast<int>(child)),
              .bytes = input.bytes},
             {receive});
  }
  return plan;
}

}  // namespace mpiactor::inter
