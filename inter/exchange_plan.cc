#include "inter/exchange_plan.h"

#include <vector>

namespace mpiactor::inter {

PlanOp exchange_op(OpKind kind, int node, int peer, int nodes, const ByteRange& range, int round) {
  const int distance = kind == OpKind::kSend ? peer - node : node - peer;
  return {.kind = kind,
          .peer = peer,
          .offset = range.offset,
          .bytes = range.bytes,
          .channel = ((distance + nodes) % nodes + round * nodes) % kMaxChannels};
}

Plan exchange_plan(int node, int nodes, std::span<const Transfer> sends,
                   std::span<const Transfer> receives, Intake intake) {
  Plan plan;
  const OpKind kind = intake == Intake::kPlace ? OpKind::kReceive : OpKind::kReceiveReduce;
  std::uint32_t before = Plan::kNoOp;
  for (const Transfer& receive : receives) {
    const std::uint32_t index =
        plan.add(exchange_op(kind, node, receive.peer, nodes, {receive.offset, receive.bytes}),
                 {intake == Intake::kCombineInOrder ? before : Plan::kNoOp});
    if (index != Plan::kNoOp) before = index;
  }
  for (const Transfer& send : sends) {
    plan.add(exchange_op(OpKind::kSend, node, send.peer, nodes, {send.offset, send.bytes}));
  }
  return plan;
}

Plan combined_as_it_comes(Plan plan) {
  for (PlanOp& op : plan.ops) {
    if (op.kind == OpKind::kReceiveReduce) op.waits_end = op.waits_begin;
  }
  return plan;
}

Plan in_slots(const Plan& plan, std::uint64_t result_begin,
              const std::function<std::uint64_t(int node)>& slot_begin) {
  Plan placed;
  std::vector<std::uint32_t> slots;
  for (PlanOp op : plan.ops) {
    const bool is_of_result = op.kind == OpKind::kReceive || !plan.waits_of(op).empty();
    if (op.kind == OpKind::kReceiveReduce) {
      op.kind = OpKind::kReceive;
      op.offset = slot_begin(op.peer);
      slots.push_back(placed.add(op));
    } else if (!is_of_result) {
      placed.add(op);
    } else {
      op.offset += result_begin;
      placed.add(op, op.kind == OpKind::kSend ? std::span<const std::uint32_t>(slots)
                                              : std::span<const std::uint32_t>());
    }
  }
  return placed;
}

}  // namespace mpiactor::inter
