// Split binary tree broadcast: the nodes but for the root form two binary trees of (nearly) equal
// size, and each half of the message goes down one of them; then the trees' nodes swap halves in
// pairs. An inner node sends three halves, not four as in the binary tree.
#include "inter/algorithms.h"
#include "inter/blocks.h"
#include "inter/virtual_rank.h"

namespace mpiactor::inter {
namespace {

enum Channel { kDown = 0, kSwap = 1 };

// Virtual ranks 1 .. left are the left tree, the others the right one, each numbered as a heap.
struct Trees {
  int left;
  int right;
  explicit Trees(int nodes) : left(nodes / 2), right(nodes - 1 - nodes / 2) {}

  int first(int side) const { return side == 0 ? 1 : 1 + left; }
  int size(int side) const { return side == 0 ? left : right; }
};

}  // namespace

Plan bcast_split_binary(const PlanInput& input) {
  const VirtualRank ranks(input);
  const int self = ranks.of_node(input.node);
  const Trees trees(ranks.nodes);
  const Blocks halves(input.bytes, 2, input.granule_bytes);
  Plan plan;
  auto add = [&](OpKind kind, int virtual_peer, int half, Channel channel,
                 std::uint32_t wait = Plan::kNoOp) {
    const ByteRange range = halves.range(half, half + 1);
    return plan.add({.kind = kind,
                     .peer = ranks.to_node(virtual_peer),
                     .offset = range.offset,
                     .bytes = range.bytes,
                     .stream = half,
                     .channel = channel},
                    {wait});
  };
  if (self == 0) {
    for (int side : {0, 1}) {
      if (trees.size(side) > 0) add(OpKind::kSend, trees.first(side), side, kDown);
    }
    // Of two nodes the one that is not the root has nobody to swap with.
    if (trees.left == 1 && trees.right == 0) add(OpKind::kSend, 1, 1, kSwap);
    return plan;
  }

  const int side = self > trees.left ? 1 : 0;
  const int other = 1 - side;
  const int place = self - trees.first(side);
  const int above = place == 0 ? 0 : trees.first(side) + (place - 1) / 2;
  const std::uint32_t own = add(OpKind::kReceive, above, side, kDown);
  for (int child = 2 * place + 1; child <= 2 * place + 2 && child < trees.size(side); ++child) {
    add(OpKind::kSend, trees.first(side) + child, side, kDown, own);
  }

  // Where the left tree has one node more, the right tree's last node, a leaf, serves it too.
  const bool is_odd_one = place >= trees.size(other);
  const int partner = is_odd_one ? trees.size(other) - 1 : place;
  if (trees.size(other) == 0) {
    add(OpKind::kReceive, 0, other, kSwap);
    return plan;
  }
  add(OpKind::kReceive, trees.first(other) + partner, other, kSwap);
  if (!is_odd_one) add(OpKind::kSend, trees.first(other) + place, side, kSwap, own);
  if (side == 1 && place == trees.right - 1 && trees.left > trees.right) {
    add(OpKind::kSend, trees.first(0) + trees.left - 1, side, kSwap, own);
  }
  return plan;
}

}  // namespace mpiactor::inter
