#include "sim/direct_plan.h"

namespace mpiactor::sim {

inter::Plan direct_plan(int node, int nodes, const BetweenNodes& between, bool combines) {
  using inter::OpKind;
  const auto channel = [nodes](int from, int to) {
    return (to - from + nodes) % nodes % inter::kMaxChannels;
  };
  inter::Plan plan;
  std::uint32_t before = inter::Plan::kNoOp;
  for (int from = 0; from < nodes; ++from) {
    if (from == node) continue;
    const inter::ByteRange range = between(from, node);
    const std::uint32_t index =
        plan.add({.kind = combines ? OpKind::kReceiveReduce : OpKind::kReceive,
                  .peer = from,
                  .offset = range.offset,
                  .bytes = range.bytes,
                  .channel = channel(from, node)},
                 {combines ? before : inter::Plan::kNoOp});
    if (index != inter::Plan::kNoOp) before = index;
  }
  for (int to = 0; to < nodes; ++to) {
    if (to == node) continue;
    const inter::ByteRange range = between(node, to);
    plan.add({.kind = OpKind::kSend,
              .peer = to,
              .offset = range.offset,
              .bytes = range.bytes,
              .channel = channel(node, to)});
  }
  return plan;
}

}  // namespace mpiactor::sim
