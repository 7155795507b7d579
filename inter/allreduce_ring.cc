// Allreduce on a ring: in step s = 0 .. N - 2 node v sends block v - s, as combined so far, to v +
// 1; then it holds block v + 1 complete, and the blocks go round once more. Neighbours only, and
// each node sends about twice the message in all.
#include "inter/algorithms.h"
#include "inter/blocks.h"
#include "inter/virtual_rank.h"

namespace mpiactor::inter {

Plan allreduce_ring(const PlanInput& input) {
  const VirtualRank ranks(input);
  const int nodes = ranks.nodes;
  const int self = ranks.of_node(input.node);
  const Blocks blocks(input.bytes, nodes, input.granule_bytes);
  Plan plan;
  // Left and right are the same peers throughout, so steps may share channels.
  auto add = [&](OpKind kind, int block, int step, std::uint32_t wait) {
    const ByteRange range = blocks.range(block, block + 1);
    const int peer = kind == OpKind::kSend ? self + 1 : self - 1 + nodes;
    return plan.add({.kind = kind,
                     .peer = ranks.to_node(peer % nodes),
                     .offset = range.offset,
                     .bytes = range.bytes,
                     .channel = step % kMaxChannels},
                    {wait});
  };
  auto block_before = [&](int steps) { return (self - steps + 2 * nodes) % nodes; };

  std::vector<std::uint32_t> partial_sent(static_cast<std::size_t>(nodes), Plan::kNoOp);
  std::uint32_t last = Plan::kNoOp;
  for (int step = 0; step < nodes - 1; ++step) {
    const int given = block_before(step);
    partial_sent[static_cast<std::size_t>(given)] = add(OpKind::kSend, given, step, last);
    last = add(OpKind::kReceiveReduce, block_before(step + 1), step, Plan::kNoOp);
  }
  for (int step = 0; step < nodes - 1; ++step) {
    const int channel_step = nodes - 1 + step;
    add(OpKind::kSend, block_before(step - 1), channel_step, last);
    const int taken = block_before(step);
    last =
        add(OpKind::kReceive, taken, channel_step, partial_sent[static_cast<std::size_t>(taken)]);
  }
  return plan;
}

}  // namespace mpiactor::inter
