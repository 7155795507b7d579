// Allgather by recursive doubling, for any number of nodes: the nodes are halved recursively
// (scatter_tree.h), and the halvings undone from the smallest up. When two parts meet, node i of
// one and node i of the other swap their parts' blocks; where the lower part is one longer, its
// last node is served by the upper part's last, which so sends twice.
#include "inter/algorithms.h"
#include "inter/blocks.h"
#include "inter/scatter_tree.h"

namespace mpiactor::inter {

Plan allgather_recursive_doubling(const PlanInput& input) {
  const int nodes = static_cast<int>(input.shape.nodes());
  const int self = input.node;
  const Blocks blocks(input.bytes, nodes, input.granule_bytes);
  const std::vector<Halving> path = halvings(self, nodes);
  Plan plan;
  std::vector<std::uint32_t> received;  // together with the own block: this node's part
  for (std::size_t index = path.size(); index-- > 0;) {
    const Halving& halving = path[index];
    const bool in_lower = self < halving.middle;
    const ByteRange lower = blocks.range(halving.begin, halving.middle);
    const ByteRange upper = blocks.range(halving.middle, halving.end);
    const int upper_size = halving.end - halving.middle;
    const int lower_size = halving.middle - halving.begin;
    const int place = self - (in_lower ? halving.begin : halving.middle);
    const bool is_odd_one = place >= upper_size;
    auto add = [&](OpKind kind, int peer, const ByteRange& range) {
      return plan.add({.kind = kind,
                       .peer = peer,
                       .offset = range.offset,
                       .bytes = range.bytes,
                       .channel = static_cast<int>(index)},
                      kind == OpKind::kSend ? received : std::vector<std::uint32_t>());
    };
    const int partner =
        in_lower ? halving.middle + (is_odd_one ? upper_size - 1 : place) : halving.begin + place;
    if (!is_odd_one) add(OpKind::kSend, partner, in_lower ? lower : upper);
    if (!in_lower && place == upper_size - 1 && lower_size > upper_size) {
      add(OpKind::kSend, halving.middle - 1, upper);
    }
    received.push_back(add(OpKind::kReceive, partner, in_lower ? upper : lower));
  }
  return plan;
}

}  // namespace mpiactor::inter
