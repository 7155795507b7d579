// Spanning trees of a torus or mesh whose directed links are disjoint: what Trinaryx3 and Trinaryx6
// send along. Every edge joins two neighbours; a tree is known by its parent function alone.
//
// Below, coordinates are relative to the root. A *ring* is an axis with wrap-around and at least
// three nodes; it offers a node two ways in. A *line* is any other axis longer than one: the node
// at its end has one way in. So no plan can have more than (axes longer than one) + (rings) trees,
// and LinkTrees::all() has just that many, on every shape and from every root.
//
// Sweep trees (LinkTrees::forward on rings, one tree per axis C): from the root one step forward
// along C into the layer C = 1; the layer is filled backward, first along A = the axis after C,
// then along B = the one after that; from the layer every line runs forward along C round to C = 0.
// The forward links of C are that tree's alone. Backward links of an axis serve as A where B' = 0
// and as B where C'' = 1 in the two other trees: never both. The root is a leaf but for its first
// step, and no node sends on more than four links.
//
// Trunk trees (LinkTrees::all, and forward where there is a line; one tree per axis K): the trunk
// runs outward along K; in each layer K != 0 it branches outward along N (the second axis after K),
// and from there everywhere outward along M (the axis after K); layer K = 0 is fed back, inward,
// from the layer next to it. Outward links of an axis serve as K where M = N = 0, as N where its M'
// = 0 and K' != 0, as M where K'' != 0: never two of them. Inward links serve as K, into K = 0.
// With three axes and no mirrored trees two more serve in layer K = 0, so that the nodes next to
// the root do not feed all three layers: from M = 2 to M = 1, and where M = 0 from N = 3 to N = 2.
// From a root at the ends of its lines no node then sends on more than four links. On rings
// "outward" is always forward, so the mirror image of the same trees takes the other links of all
// nodes, without exception: 2 x 3 trees on a 3-D torus use every link that does not lead into the
// root.
//
// Where rings and lines meet, the mirrored trees exist for rings alone and live in the layers of
// equal position on the lines. They pass from layer to layer over the nodes that are one step back
// from the axis of the layer's origin; the trunk tree whose way in that takes there comes in from
// the layer's origin instead, a link that nobody else wants any more.
#ifndef MPIACTOR_INTER_TOFU_ALGOS_LINK_TREES_H_
#define MPIACTOR_INTER_TOFU_ALGOS_LINK_TREES_H_

#include <vector>

#include "inter/plan.h"
#include "inter/routes.h"

namespace mpiactor::inter {

class LinkTrees {
 public:
  static constexpr int kNoNode = -1;

  // One tree per axis longer than one: up to three.
  static LinkTrees forward(const Shape& shape, int root_node);
  // As many as the shape can carry: up to six.
  static LinkTrees all(const Shape& shape, int root_node);

  int count() const { return count_; }
  int parent(int tree, int node) const;  // kNoNode for the root
  // Up to six neighbours; those that head the longest ways first where that matters for the depth.
  std::vector<int> children(int tree, int node) const;

 private:
  enum class Kind { kSweep, kTrunk, kMirrored };

  LinkTrees(const Shape& shape, int root_node);

  bool is_ring(int axis) const;
  Coordinates relative(int node) const;
  int node_of(const Coordinates& relative) const;
  Coordinates sweep_parent(int tree, Coordinates at) const;
  Coordinates trunk_parent(int tree, Coordinates at) const;
  bool has_mirrored() const { return count_ > static_cast<int>(axes_.size()); }
  int near_side(int axis) const;    // +1 or -1: from where layer 0 of the axis is fed
  int near_extent(int axis) const;  // positions beyond the root there
  int way_round(int m, int n, const Coordinates& at) const;
  Coordinates mirrored_parent(int ring, Coordinates at) const;
  int first_line_off_origin(const Coordinates& at) const;
  int ring_passed_at(const Coordinates& at) const;

  Shape shape_;
  Coordinates root_;
  int root_node_;
  std::vector<int> axes_;   // longer than one
  std::vector<int> rings_;  // of these, the rings
  std::vector<int> lines_;  // and the others
  bool sweep_ = false;
  int count_ = 0;
};

// Trees that `forward` and `all` have on a shape.
int forward_tree_count(const Shape& shape);
int all_tree_count(const Shape& shape);

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_TOFU_ALGOS_LINK_TREES_H_
