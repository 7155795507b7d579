// Bruck's alltoall (store and forward, for short blocks): a block for the node t ahead travels the
// powers of two that t is made of. In round k node v sends all blocks with bit k in their distance,
// half of what it holds, as one message to v + 2^k, and the like come from v - 2^k: ceil(log2 N)
// rounds for any number of nodes, each block being sent up to that many times.
//
// In the layout by distance a block stays in slot t on all nodes on its way, so that what is sent
// and what comes in its place are the same slots: runs of 2^k, every 2^(k + 1).
#include "inter/algorithms.h"

namespace mpiactor::inter {
namespace {

// Slots below `slots` that have this bit (a power of two) in their number.
std::uint64_t slots_with(std::uint64_t bit, std::uint64_t slots) {
  const std::uint64_t in_whole_periods = slots / (2 * bit) * bit;
  const std::uint64_t rest = slots % (2 * bit);
  return in_whole_periods + (rest > bit ? rest - bit : 0);
}

}  // namespace

Plan alltoall_bruck(const PlanInput& input) {
  const auto nodes = static_cast<std::uint64_t>(input.shape.nodes());
  const std::uint64_t block_bytes = input.bytes / (nodes * nodes);
  const auto node = static_cast<std::uint64_t>(input.node);
  Plan plan;
  plan.layout = BufferLayout::kByDistance;
  std::uint32_t received =
      Plan::kNoOp;  // in the round before, which had waited for those before it
  int round = 0;
  for (std::uint64_t distance = 1; distance < nodes; distance *= 2, ++round) {
    PlanOp op{.peer = static_cast<int>((node + distance) % nodes),
              .offset = distance * block_bytes,
              .bytes = slots_with(distance, nodes) * block_bytes,
              .channel = round,
              .run_bytes = distance * block_bytes,
              .stride_bytes = 2 * distance * block_bytes};
    const std::uint32_t sent = plan.add(op, {received});
    op.kind = OpKind::kReceive;
    op.peer = static_cast<int>((node + nodes - distance) % nodes);
    received = plan.add(op, {sent});
  }
  return plan;
}

}  // namespace mpiactor::inter
