#include "inter/scatter_tree.h"

#include "inter/virtual_rank.h"

namespace mpiactor::inter {

std::vector<Halving> halvings(int virtual_rank, int nodes) {
  std::vector<Halving> path;
  int begin = 0;
  int end = nodes;
  while (end - begin > 1) {
    const int middle = begin + (end - begin + 1) / 2;
    path.push_back({begin, middle, end});
    if (virtual_rank < middle) {
      end = middle;
    } else {
      begin = middle;
    }
  }
  return path;
}

int scatter_end(int virtual_rank, int nodes) {
  for (const Halving& halving : halvings(virtual_rank, nodes)) {
    if (halving.middle == virtual_rank) return halving.end;
  }
  return virtual_rank == 0 ? nodes : virtual_rank + 1;
}

std::uint32_t add_scatter(Plan& plan, const PlanInput& input, const Blocks& blocks) {
  const VirtualRank ranks(input);
  const int self = ranks.of_node(input.node);
  std::uint32_t receive = Plan::kNoOp;
  for (const Halving& halving : halvings(self, ranks.nodes)) {
    const ByteRange upper = blocks.range(halving.middle, halving.end);
    if (self == halving.middle) {
      receive = plan.add({.kind = OpKind::kReceive,
                          .peer = ranks.to_node(halving.begin),
                          .offset = upper.offset,
                          .bytes = upper.bytes});
    } else if (self == halving.begin) {
      plan.add({.kind = OpKind::kSend,
                .peer = ranks.to_node(halving.middle),
                .offset = upper.offset,
                .bytes = upper.bytes},
               {receive});
    }
  }
  return receive;
}

}  // namespace mpiactor::inter
