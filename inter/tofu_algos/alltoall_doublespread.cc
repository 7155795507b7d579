// Doublespread [Fugaku]: a simple spread over all directions at once. The offsets to the other
// nodes are dealt out to the directions that lead towards them (+-x, +-y, +-z), always to the one
// that has the fewest yet; every direction is a stream that sends to its offsets one after the
// other and receives from the opposite ones. By symmetry all nodes send along one direction at a
// time in each stream, and each receives one block a step.
#include <algorithm>
#include <vector>

#include "inter/blocks.h"
#include "inter/routes.h"
#include "inter/tofu_algos/algorithms.h"

namespace mpiactor::inter {
namespace {

// Direction indices as in routes.h: 2 * axis, + 1 for backward.
std::vector<int> directions_towards(const Shape& shape, const Coordinates& offset) {
  std::vector<int> found;
  for (int axis = 0; axis < 3; ++axis) {
    const int ahead = offset.at[axis];
    if (ahead == 0) continue;
    const int back = shape.extent[axis] - ahead;
    if (ahead <= back) found.push_back(2 * axis);
    if (back <= ahead && shape.extent[axis] > 2) found.push_back(2 * axis + 1);
  }
  return found;
}

// The stream of every offset: offsets are numbered like nodes, 0 is the node itself.
std::vector<int> deal_out(const Shape& shape) {
  std::vector<int> stream_of(static_cast<std::size_t>(shape.nodes()), 0);
  std::vector<int> dealt(kLinksPerNode, 0);
  for (int offset = 1; offset < shape.nodes(); ++offset) {
    const std::vector<int> directions = directions_towards(shape, coordinates_of(shape, offset));
    const int direction =
        *std::min_element(directions.begin(), directions.end(), [&](int a, int b) {
          return dealt[static_cast<std::size_t>(a)] < dealt[static_cast<std::size_t>(b)];
        });
    ++dealt[static_cast<std::size_t>(direction)];
    stream_of[static_cast<std::size_t>(offset)] = direction;
  }
  return stream_of;
}

int node_at_offset(const Shape& shape, int node, int offset, int sign) {
  const Coordinates here = coordinates_of(shape, node);
  const Coordinates by = coordinates_of(shape, offset);
  Coordinates there;
  for (int axis = 0; axis < 3; ++axis) {
    const int extent = shape.extent[axis];
    there.at[axis] = (here.at[axis] + sign * by.at[axis] + extent) % extent;
  }
  return node_at(shape, there);
}

}  // namespace

Plan alltoall_doublespread(const PlanInput& input) {
  const int nodes = static_cast<int>(input.shape.nodes());
  const std::vector<int> stream_of = deal_out(input.shape);
  Plan plan;
  std::vector<std::uint32_t> sent(kLinksPerNode, Plan::kNoOp);
  std::vector<std::uint32_t> received(kLinksPerNode, Plan::kNoOp);
  for (int offset = 1; offset < nodes; ++offset) {
    const int direction = stream_of[static_cast<std::size_t>(offset)];
    const auto stream = static_cast<std::size_t>(direction);
    const int to = node_at_offset(input.shape, input.node, offset, +1);
    const int from = node_at_offset(input.shape, input.node, offset, -1);
    auto add = [&](OpKind kind, int peer, const ByteRange& block, std::uint32_t before) {
      return plan.add({.kind = kind,
                       .peer = peer,
                       .offset = block.offset,
                       .bytes = block.bytes,
                       .stream = direction,
                       .channel = (offset - 1) % kMaxChannels},
                      {before});
    };
    received[stream] = add(OpKind::kReceive, from,
                           alltoall_block(input.bytes, nodes, from, input.node), received[stream]);
    sent[stream] =
        add(OpKind::kSend, to, alltoall_block(input.bytes, nodes, input.node, to), sent[stream]);
  }
  return plan;
}

int doublespread_streams(const Shape& shape) {
  std::vector<bool> used(kLinksPerNode, false);
  const std::vector<int> stream_of = deal_out(shape);
  for (std::size_t offset = 1; offset < stream_of.size(); ++offset) {
    used[static_cast<std::size_t>(stream_of[offset])] = true;
  }
  return static_cast<int>(std::count(used.begin(), used.end(), true));
}

}  // namespace mpiactor::inter
