// Basic linear alltoall [Fugaku]: everything at once, nearest node ranks first.
#include "inter/algorithms.h"
#include "inter/alltoall_blocks.h"

namespace mpiactor::inter {

Plan alltoall_linear(const PlanInput& input) {
  const int nodes = static_cast<int>(input.shape.nodes());
  const AlltoallBlocks blocks(input);
  Plan plan;
  plan.layout = blocks.layout();
  plan.ops.reserve(2 * static_cast<std::size_t>(nodes - 1));
  for (int step = 1; step < nodes; ++step) {
    const int to = (input.node + step) % nodes;
    const int from = (input.node - step + nodes) % nodes;
    const ByteRange given = blocks.given(to);
    const ByteRange taken = blocks.taken(from);
    const int channel = (step - 1) % kMaxChannels;
    plan.add({.kind = OpKind::kReceive,
              .peer = from,
              .offset = taken.offset,
              .bytes = taken.bytes,
              .channel = channel});
    plan.add({.kind = OpKind::kSend,
              .peer = to,
              .offset = given.offset,
              .bytes = given.bytes,
              .channel = channel});
  }
  return plan;
}

}  // namespace mpiactor::inter
