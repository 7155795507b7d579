// Bintree3d and Bintree6d [Fugaku]: a binary tree along the root's line of one axis, from each of
// its nodes one along the second axis, and from each of those one along the third. The depth is
// floor(log2 NX) + floor(log2 NY) + floor(log2 NZ). Bintree6d cuts the message into one part for
// each axis that may come first, and for each way round it.
#include "inter/routes.h"
#include "inter/tofu_algos/algorithms.h"
#include "inter/tofu_algos/line_tree.h"
#include "inter/tree_streams.h"

namespace mpiactor::inter {
namespace {

// Which axis comes first, and whether lines are counted backward from the root.
struct Orientation {
  int axes[3];
  bool backward;
};

class GridTree {
 public:
  GridTree(const PlanInput& input, const Orientation& orientation)
      : shape_(input.shape),
        orientation_(orientation),
        root_(coordinates_of(input.shape, input.root_node)),
        self_(coordinates_of(input.shape, input.node)) {}

  TreePlace place(const ByteRange& range) const {
    TreePlace place;
    place.range = range;
    // Children along earlier axes head the larger subtrees, and are served first; there are some
    // only where the later coordinates are the root's.
    int last = 2;
    while (last > 0 && position(orientation_.axes[last]) == 0) --last;
    for (int i = last; i < 3; ++i) {
      const int axis = orientation_.axes[i];
      const LinePlace on_line = line_place(position(axis), shape_.extent[axis]);
      if (i == last && on_line.parent >= 0) place.parent = node_on_line(axis, on_line.parent);
      for (int child : on_line.children) place.children.push_back(node_on_line(axis, child));
    }
    return place;
  }

 private:
  int position(int axis) const {
    const int ahead = self_.at[axis] - root_.at[axis];
    const int extent = shape_.extent[axis];
    return ((orientation_.backward ? -ahead : ahead) + extent) % extent;
  }

  int node_on_line(int axis, int position) const {
    const int extent = shape_.extent[axis];
    const int ahead = orientation_.backward ? extent - position : position;
    Coordinates at = self_;
    at.at[axis] = (root_.at[axis] + ahead) % extent;
    return node_at(shape_, at);
  }

  const Shape& shape_;
  const Orientation& orientation_;
  Coordinates root_;
  Coordinates self_;
};

// Pairs look the same both ways.
bool has_two_ways(const Shape& shape) {
  return shape.extent[0] > 2 || shape.extent[1] > 2 || shape.extent[2] > 2;
}

std::vector<Orientation> orientations(const Shape& shape) {
  std::vector<Orientation> found;
  for (bool backward : {false, true}) {
    if (backward && !has_two_ways(shape)) break;
    for (int first = 0; first < 3; ++first) {
      if (shape.extent[first] == 1) continue;
      found.push_back({{first, (first + 1) % 3, (first + 2) % 3}, backward});
    }
  }
  return found;
}

Plan broadcast_along_grid(const PlanInput& input, const std::vector<Orientation>& trees) {
  // One node has no axis and no tree.
  const Blocks parts(input.bytes, std::max(static_cast<int>(trees.size()), 1), input.granule_bytes);
  std::vector<TreePlace> places;
  for (int i = 0; i < static_cast<int>(trees.size()); ++i) {
    const Orientation& orientation = trees[static_cast<std::size_t>(i)];
    places.push_back(GridTree(input, orientation).place(parts.range(i, i + 1)));
  }
  return broadcast_along(places);
}

}  // namespace

Plan bcast_bintree3d(const PlanInput& input) {
  return broadcast_along_grid(input, {{{0, 1, 2}, false}});
}

Plan bcast_bintree6d(const PlanInput& input) {
  return broadcast_along_grid(input, orientations(input.shape));
}

int bintree6d_streams(const Shape& shape) { return static_cast<int>(orientations(shape).size()); }

}  // namespace mpiactor::inter
