// Pairwise alltoall [Fugaku]: in round R node v sends to v + R and receives from v - R; a round
// begins when the one before it is over.
#include "inter/algorithms.h"
#include "inter/alltoall_blocks.h"

namespace mpiactor::inter {

Plan alltoall_pairwise(const PlanInput& input) {
  const int nodes = static_cast<int>(input.shape.nodes());
  const AlltoallBlocks blocks(input);
  Plan plan;
  plan.layout = blocks.layout();
  OpSequence sent;
  OpSequence received;
  for (int round = 1; round < nodes; ++round) {
    const int to = (input.node + round) % nodes;
    const int from = (input.node - round + nodes) % nodes;
    const ByteRange given = blocks.given(to);
    const ByteRange taken = blocks.taken(from);
    const int channel = (round - 1) % kMaxChannels;
    const std::uint32_t before[] = {sent.last(), received.last()};
    received.append(plan.add({.kind = OpKind::kReceive,
                              .peer = from,
                              .offset = taken.offset,
                              .bytes = taken.bytes,
                              .channel = channel},
                             before));
    sent.append(plan.add({.kind = OpKind::kSend,
                          .peer = to,
                          .offset = given.offset,
                          .bytes = given.bytes,
                          .channel = channel},
                         before));
  }
  return plan;
}

}  // namespace mpiactor::inter
