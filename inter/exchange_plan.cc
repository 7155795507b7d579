#include "inter/exchange_plan.h"

#include <vector>

namespace mpiactor::inter {

Plan exchange_plan(int node, int nodes, std::span<const Transfer> sends,
                   std::span<const Transfer> receives, Intake intake) {
  const auto channel = [&](int from, int to, int round) {
    return ((to - from + nodes) % nodes + round * nodes) % kMaxChannels;
  };
  Plan plan;
  std::uint32_t before = Plan::kNoOp;
  std::vector<std::uint32_t> first_round;
  for (const Transfer& receive : receives) {
    const std::uint32_t index =
        plan.add({.kind = intake == Intake::kPlace ? OpKind::kReceive : OpKind::kReceiveReduce,
                  .peer = receive.peer,
                  .offset = receive.offset,
                  .bytes = receive.bytes,
                  .channel = channel(receive.peer, node, receive.round)},
                 {intake == Intake::kCombineInOrder ? before : Plan::kNoOp});
    if (index != Plan::kNoOp) before = index;
    if (receive.round == 0) first_round.push_back(index);
  }
  for (const Transfer& send : sends) {
    const PlanOp op{.kind = OpKind::kSend,
                    .peer = send.peer,
                    .offset = send.offset,
                    .bytes = send.bytes,
                    .channel = channel(node, send.peer, send.round)};
    plan.add(op, send.round == 0 ? std::span<const std::uint32_t>() : first_round);
  }
  return plan;
}

}  // namespace mpiactor::inter
