#include "inter/exchange_plan.h"

namespace mpiactor::inter {

Plan exchange_plan(int node, int nodes, std::span<const Transfer> sends,
                   std::span<const Transfer> receives, Intake intake) {
  const auto channel = [&](int from, int to, int round) {
    return ((to - from + nodes) % nodes + round * nodes) % kMaxChannels;
  };
  Plan plan;
  std::uint32_t before = Plan::kNoOp;
  for (const Transfer& receive : receives) {
    const std::uint32_t index =
        plan.add({.kind = intake == Intake::kPlace ? OpKind::kReceive : OpKind::kReceiveReduce,
                  .peer = receive.peer,
                  .offset = receive.offset,
                  .bytes = receive.bytes,
                  .channel = channel(receive.peer, node, receive.round)},
                 {intake == Intake::kCombineInOrder ? before : Plan::kNoOp});
    if (index != Plan::kNoOp) before = index;
  }
  for (const Transfer& send : sends) {
    plan.add({.kind = OpKind::kSend,
              .peer = send.peer,
              .offset = send.offset,
              .bytes = send.bytes,
              .channel = channel(node, send.peer, send.round)});
  }
  return plan;
}

}  // namespace mpiactor::inter
