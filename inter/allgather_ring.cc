// Allgather on a ring: in step s = 1 .. N - 1 node v passes block v + 1 - s on to v + 1.
#include "inter/algorithms.h"
#include "inter/blocks.h"

namespace mpiactor::inter {

Plan allgather_ring(const PlanInput& input) {
  const int nodes = static_cast<int>(input.shape.nodes());
  const Blocks blocks(input.bytes, nodes, input.granule_bytes);
  Plan plan;
  std::uint32_t received = Plan::kNoOp;
  for (int step = 1; step < nodes; ++step) {
    const int given = (input.node + 1 - step + nodes) % nodes;
    const int taken = (input.node - step + nodes) % nodes;
    const int channel = (step - 1) % kMaxChannels;
    plan.add({.kind = OpKind::kSend,
              .peer = (input.node + 1) % nodes,
              .offset = blocks.offset(given),
              .bytes = blocks.range(given, given + 1).bytes,
              .channel = channel},
             {received});
    received = plan.add({.kind = OpKind::kReceive,
                         .peer = (input.node - 1 + nodes) % nodes,
                         .offset = blocks.offset(taken),
                         .bytes = blocks.range(taken, taken + 1).bytes,
                         .channel = channel});
  }
  return plan;
}

}  // namespace mpiactor::inter
