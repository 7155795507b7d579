#include "inter/tree_streams.h"

namespace mpiactor::inter {
namespace {

PlanOp op_of(std::span<const TreePlace> places, std::size_t stream, OpKind kind, int peer) {
  return {.kind = kind,
          .peer = peer,
          .offset = places[stream].range.offset,
          .bytes = places[stream].range.bytes,
          .stream = static_cast<int>(stream),
          .channel = static_cast<int>(stream)};
}

// In reductions a node hears from its parent and from several children in one stream.
int channel_up(std::size_t stream, int child) { return (1 + child) * 8 + static_cast<int>(stream); }

// The last operation of each stream on the way up.
std::vector<std::uint32_t> add_reduction(Plan& plan, std::span<const TreePlace> places) {
  std::vector<std::uint32_t> last(places.size(), Plan::kNoOp);
  for (std::size_t stream = 0; stream < places.size(); ++stream) {
    int index = 0;
    for (int child : places[stream].children) {
      PlanOp op = op_of(places, stream, OpKind::kReceiveReduce, child);
      op.channel = channel_up(stream, index++);
      last[stream] = plan.add(op, {last[stream]});  // a fixed order: the children's
    }
  }
  for (std::size_t stream = 0; stream < places.size(); ++stream) {
    if (places[stream].parent == TreePlace::kNoParent) continue;
    PlanOp op = op_of(places, stream, OpKind::kSend, places[stream].parent);
    op.channel = channel_up(stream, places[stream].place_among_siblings);
    last[stream] = plan.add(op, {last[stream]});
  }
  return last;
}

void add_broadcast(Plan& plan, std::span<const TreePlace> places, std::vector<std::uint32_t> last) {
  for (std::size_t stream = 0; stream < places.size(); ++stream) {
    if (places[stream].parent == TreePlace::kNoParent) continue;
    last[stream] =
        plan.add(op_of(places, stream, OpKind::kReceive, places[stream].parent), {last[stream]});
  }
  for (std::size_t stream = 0; stream < places.size(); ++stream) {
    for (int child : places[stream].children) {
      plan.add(op_of(places, stream, OpKind::kSend, child), {last[stream]});
    }
  }
}

}  // namespace

Plan broadcast_along(std::span<const TreePlace> places) {
  Plan plan;
  add_broadcast(plan, places, std::vector<std::uint32_t>(places.size(), Plan::kNoOp));
  return plan;
}

Plan reduce_along(std::span<const TreePlace> places) {
  Plan plan;
  add_reduction(plan, places);
  return plan;
}

Plan allreduce_along(std::span<const TreePlace> places) {
  Plan plan;
  add_broadcast(plan, places, add_reduction(plan, places));
  return plan;
}

}  // namespace mpiactor::inter
