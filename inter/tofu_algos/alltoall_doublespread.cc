// Doublespread [Fugaku]: a simple spread over all directions at once. The offsets to the other
// nodes are dealt out to the directions that lead towards them (+-x, +-y, +-z), those first that
// leave no choice, each together with its opposite, always to the direction that has the fewest
// yet. Every direction is a stream that sends to its offsets one after the other and receives from
// the opposite ones. On a torus, by symmetry, all nodes send along one direction at a time in each
// stream, and each receives one block a step.
//
// Axes without wrap-around count as rings here: an offset then leads forward from some nodes and
// backward from the others, but all nodes have equally much to do in every stream. Streams by true
// direction leave the nodes at the rims with half of the streams, and take longer (13 to 64 % on
// 8x6x8 under the simulator).
#include <algorithm>
#include <vector>

#include "inter/alltoall_blocks.h"
#include "inter/routes.h"
#include "inter/tofu_algos/algorithms.h"

namespace mpiactor::inter {
namespace {

int opposite(const Shape& shape, int offset) {
  Coordinates at = coordinates_of(shape, offset);
  for (int axis = 0; axis < 3; ++axis) {
    at.at[axis] = (shape.extent[axis] - at.at[axis]) % shape.extent[axis];
  }
  return node_at(shape, at);
}

// Direction indices as in routes.h: 2 * axis, + 1 for backward. Of two equally long ways the
// forward one, which messages take.
std::vector<int> directions_towards(const Shape& shape, const Coordinates& offset) {
  std::vector<int> found;
  for (int axis = 0; axis < 3; ++axis) {
    const int ahead = offset.at[axis];
    if (ahead != 0) found.push_back(2 * axis + (shape.extent[axis] - ahead < ahead));
  }
  return found;
}

// The stream of every offset: offsets are numbered like nodes, 0 is the node itself.
std::vector<int> deal_out(const Shape& shape) {
  constexpr int kNotDealt = -1;
  std::vector<int> stream_of(static_cast<std::size_t>(shape.nodes()), kNotDealt);
  int dealt[kLinksPerNode] = {};
  for (std::size_t choices = 1; choices <= 3; ++choices) {
    for (int first = 1; first < shape.nodes(); ++first) {
      for (int offset : {first, opposite(shape, first)}) {
        int& stream = stream_of[static_cast<std::size_t>(offset)];
        if (stream != kNotDealt) continue;
        const std::vector<int> found = directions_towards(shape, coordinates_of(shape, offset));
        if (found.size() != choices) continue;
        stream = *std::min_element(found.begin(), found.end(),
                                   [&](int a, int b) { return dealt[a] < dealt[b]; });
        ++dealt[stream];
      }
    }
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
  const std::vector<int> stream_of = deal_out(input.shape);
  const AlltoallBlocks blocks(input);
  Plan plan;
  plan.layout = blocks.layout();
  OpSequence sent[kLinksPerNode];
  OpSequence received[kLinksPerNode];
  for (int offset = 1; offset < input.shape.nodes(); ++offset) {
    const int stream = stream_of[static_cast<std::size_t>(offset)];
    const int to = node_at_offset(input.shape, input.node, offset, +1);
    const int from = node_at_offset(input.shape, input.node, offset, -1);
    const auto add = [&](OpKind kind, int peer, const ByteRange& block, OpSequence& sequence) {
      sequence.append(plan.add({.kind = kind,
                                .peer = peer,
                                .offset = block.offset,
                                .bytes = block.bytes,
                                .stream = stream,
                                .channel = (offset - 1) % kMaxChannels},
                               {sequence.last()}));
    };
    add(OpKind::kReceive, from, blocks.taken(from), received[stream]);
    add(OpKind::kSend, to, blocks.given(to), sent[stream]);
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
