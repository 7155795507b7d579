// Bruck's allgather: in round k node v sends the blocks that it has, v and those after it, to v -
// 2^k, at most as many as are lacking there. ceil(log2 N) rounds for any number of nodes: for short
// blocks.
#include "inter/algorithms.h"
#include "inter/blocks.h"

namespace mpiactor::inter {
namespace {

// Blocks [first, first + count), going round, are one or two ranges of the message.
std::vector<ByteRange> ranges_of(const Blocks& blocks, int nodes, int first, int count) {
  const int straight = std::min(count, nodes - first);
  std::vector<ByteRange> ranges = {blocks.range(first, first + straight)};
  if (count > straight) ranges.push_back(blocks.range(0, count - straight));
  return ranges;
}

}  // namespace

Plan allgather_bruck(const PlanInput& input) {
  const int nodes = static_cast<int>(input.shape.nodes());
  const Blocks blocks(input.bytes, nodes, input.granule_bytes);
  Plan plan;
  std::vector<std::uint32_t> received;
  auto add_all = [&](OpKind kind, int peer, const std::vector<ByteRange>& ranges, int round) {
    std::vector<std::uint32_t> added;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      std::vector<std::uint32_t> waits;
      for (std::uint32_t earlier : received) {
        const PlanOp& op = plan.ops[earlier];
        const bool supplies =
            op.offset < ranges[i].offset + ranges[i].bytes && ranges[i].offset < op.end();
        if (kind == OpKind::kSend && supplies) waits.push_back(earlier);
      }
      added.push_back(plan.add({.kind = kind,
                                .peer = peer,
                                .offset = ranges[i].offset,
                                .bytes = ranges[i].bytes,
                                .channel = 2 * round + static_cast<int>(i)},
                               waits));
    }
    return added;
  };
  int round = 0;
  for (int distance = 1; distance < nodes; ++round) {
    const int count = std::min(distance, nodes - distance);
    const int from = (input.node + distance) % nodes;
    const int to = (input.node - distance + nodes) % nodes;
    add_all(OpKind::kSend, to, ranges_of(blocks, nodes, input.node, count), round);
    for (std::uint32_t op :
         add_all(OpKind::kReceive, from, ranges_of(blocks, nodes, from, count), round)) {
      if (op != Plan::kNoOp) received.push_back(op);
    }
    distance += count;
  }
  return plan;
}

}  // namespace mpiactor::inter
