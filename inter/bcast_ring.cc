// Broadcast by scatter and ring allgather (RingAAS, [CP]), for any number of nodes.
//
// After the scatter virtual rank v holds blocks [v, scatter_end(v)). In ring step s = 1, 2, ... it
// sends block v + 1 - s to v + 1 and receives block v - s from v - 1 (modulo the node count),
// except for blocks that the receiver has had since the scatter: those are the last steps of its
// ring, so each rank simply stops receiving early, and the root never receives.
#include "inter/algorithms.h"
#include "inter/scatter_tree.h"
#include "inter/virtual_rank.h"

namespace mpiactor::inter {
namespace {

// Channel 0 is the scatter's. Beyond so many steps numbers come again, in the same order on both
// sides.
int channel_of_step(int step) { return 1 + (step - 1) % (kMaxChannels - 1); }

// Steps in which `virtual_rank` receives.
int receiving_steps(int virtual_rank, int nodes) {
  return nodes - (scatter_end(virtual_rank, nodes) - virtual_rank);
}

}  // namespace

Plan bcast_ring(const PlanInput& input) {
  const VirtualRank ranks(input);
  const int nodes = ranks.nodes;
  const int self = ranks.of_node(input.node);
  const Blocks blocks(input.bytes, nodes, input.granule_bytes);
  Plan plan;
  const std::uint32_t scattered = add_scatter(plan, input, blocks);

  const int own_steps = receiving_steps(self, nodes);
  const int right_steps = self + 1 < nodes ? receiving_steps(self + 1, nodes) : 0;
  std::uint32_t previous_receive = scattered;
  for (int step = 1; step <= std::max(own_steps, right_steps); ++step) {
    if (step <= right_steps) {
      const int block = (self + 1 - step + nodes) % nodes;
      const ByteRange range = blocks.range(block, block + 1);
      // The block came in the step before, unless it came with the scatter.
      const std::uint32_t source = step - 1 <= own_steps ? previous_receive : scattered;
      plan.add({.kind = OpKind::kSend,
                .peer = ranks.to_node((self + 1) % nodes),
                .offset = range.offset,
                .bytes = range.bytes,
                .channel = channel_of_step(step)},
               {source});
    }
    if (step <= own_steps) {
      const int block = (self - step + nodes) % nodes;
      const ByteRange range = blocks.range(block, block + 1);
      previous_receive = plan.add({.kind = OpKind::kReceive,
                                   .peer = ranks.to_node((self - 1 + nodes) % nodes),
                                   .offset = range.offset,
                                   .bytes = range.bytes,
                                   .channel = channel_of_step(step)});
    }
  }
  return plan;
}

}  // namespace mpiactor::inter
