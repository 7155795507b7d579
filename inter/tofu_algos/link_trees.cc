#include "inter/tofu_algos/link_trees.h"

#include <algorithm>

namespace mpiactor::inter {
namespace {

constexpr int kNoAxis = -1;

int inward(int coordinate) { return coordinate > 0 ? coordinate - 1 : coordinate + 1; }

// The axis `steps` places after the one at `index`, going round; kNoAxis past the last other one.
int axis_after(const std::vector<int>& axes, int index, int steps) {
  const int count = static_cast<int>(axes.size());
  return steps < count ? axes[static_cast<std::size_t>((index + steps) % count)] : kNoAxis;
}

bool off_origin(const Coordinates& at, int axis) { return axis != kNoAxis && at.at[axis] != 0; }

}  // namespace

LinkTrees::LinkTrees(const Shape& shape, int root_node)
    : shape_(shape), root_(coordinates_of(shape, root_node)), root_node_(root_node) {
  for (int axis = 0; axis < 3; ++axis) {
    if (shape.extent[axis] == 1) continue;
    axes_.push_back(axis);
    (is_ring(axis) ? rings_ : lines_).push_back(axis);
  }
}

LinkTrees LinkTrees::forward(const Shape& shape, int root_node) {
  LinkTrees trees(shape, root_node);
  trees.count_ = static_cast<int>(trees.axes_.size());
  // Two nodes are as good as a ring here: forward and backward are two different links.
  trees.sweep_ = std::all_of(trees.lines_.begin(), trees.lines_.end(),
                             [&](int axis) { return shape.extent[axis] == 2; });
  return trees;
}

LinkTrees LinkTrees::all(const Shape& shape, int root_node) {
  LinkTrees trees(shape, root_node);
  trees.count_ = static_cast<int>(trees.axes_.size() + trees.rings_.size());
  return trees;
}

bool LinkTrees::is_ring(int axis) const { return shape_.wraps[axis] && shape_.extent[axis] > 2; }

// On rings and pairs 0 .. extent - 1; on other lines the root's position is subtracted.
Coordinates LinkTrees::relative(int node) const {
  Coordinates at = coordinates_of(shape_, node);
  for (int axis = 0; axis < 3; ++axis) {
    at.at[axis] -= root_.at[axis];
    const int extent = shape_.extent[axis];
    if (at.at[axis] < 0 && (is_ring(axis) || extent == 2)) at.at[axis] += extent;
  }
  return at;
}

int LinkTrees::node_of(const Coordinates& relative) const {
  Coordinates at;
  for (int axis = 0; axis < 3; ++axis) {
    const int extent = shape_.extent[axis];
    at.at[axis] = (relative.at[axis] + root_.at[axis] + extent) % extent;
  }
  return node_at(shape_, at);
}

Coordinates LinkTrees::sweep_parent(int tree, Coordinates at) const {
  const int c = axis_after(axes_, tree, 0);
  const int a = axis_after(axes_, tree, 1);
  const int b = axis_after(axes_, tree, 2);
  auto step = [&](int axis, int by) {
    const int extent = shape_.extent[axis];
    at.at[axis] = (at.at[axis] + by + extent) % extent;
    return at;
  };
  if (at.at[c] != 1) return step(c, -1);
  if (off_origin(at, b)) return step(b, +1);
  if (off_origin(at, a)) return step(a, +1);
  return step(c, -1);
}

int LinkTrees::near_side(int axis) const {
  const bool at_upper_end =
      !is_ring(axis) && shape_.extent[axis] > 2 && root_.at[axis] == shape_.extent[axis] - 1;
  return at_upper_end ? -1 : 1;
}

int LinkTrees::near_extent(int axis) const {
  const int above = shape_.extent[axis] - 1;
  if (is_ring(axis) || shape_.extent[axis] == 2) return above;
  return near_side(axis) > 0 ? above - root_.at[axis] : root_.at[axis];
}

// The axis along which a node of layer K = 0 is fed from farther out within the layer; kNoAxis
// where the neighbour beyond the layer feeds it.
int LinkTrees::way_round(int m, int n, const Coordinates& at) const {
  if (has_mirrored() || n == kNoAxis) return kNoAxis;
  const auto stands_before_another = [&](int axis, int steps) {
    return at.at[axis] == near_side(axis) * steps && near_extent(axis) > steps;
  };
  if (stands_before_another(m, 1)) return m;
  if (at.at[m] == 0 && stands_before_another(n, 2)) return n;
  return kNoAxis;
}

Coordinates LinkTrees::trunk_parent(int tree, Coordinates at) const {
  const int k = axis_after(axes_, tree, 0);
  const int m = axis_after(axes_, tree, 1);
  const int n = axis_after(axes_, tree, 2);
  if (at.at[k] == 0) {
    const int around = way_round(m, n, at);
    if (around != kNoAxis) {
      at.at[around] += near_side(around);
    } else {
      at.at[k] = near_side(k);
    }
    return at;
  }
  const int axis = off_origin(at, m) ? m : off_origin(at, n) ? n : k;
  const int passed = ring_passed_at(at);
  if (passed != kNoAxis && axis == first_line_off_origin(at)) {
    at.at[passed] = 0;
    return at;
  }
  at.at[axis] = inward(at.at[axis]);
  return at;
}

Coordinates LinkTrees::mirrored_parent(int ring, Coordinates at) const {
  const int k = axis_after(rings_, ring, 0);
  const int m = axis_after(rings_, ring, 1);
  const int n = axis_after(rings_, ring, 2);
  auto step_back = [&](int axis) {  // towards the root, which lies forward
    at.at[axis] = (at.at[axis] + 1) % shape_.extent[axis];
    return at;
  };
  if (at.at[k] == 0) {
    at.at[k] = shape_.extent[k] - 1;
    return at;
  }
  if (off_origin(at, m)) return step_back(m);
  if (off_origin(at, n)) return step_back(n);
  const int line = first_line_off_origin(at);
  if (at.at[k] == shape_.extent[k] - 1 && line != kNoAxis) {
    at.at[line] = inward(at.at[line]);
    return at;
  }
  return step_back(k);
}

int LinkTrees::first_line_off_origin(const Coordinates& at) const {
  for (int axis : lines_) {
    if (at.at[axis] != 0) return axis;
  }
  return kNoAxis;
}

// The ring whose mirrored tree enters this layer here; kNoAxis where none does.
int LinkTrees::ring_passed_at(const Coordinates& at) const {
  if (!has_mirrored() || first_line_off_origin(at) == kNoAxis) return kNoAxis;
  int passed = kNoAxis;
  for (int axis : rings_) {
    if (at.at[axis] == 0) continue;
    if (passed != kNoAxis || at.at[axis] != shape_.extent[axis] - 1) return kNoAxis;
    passed = axis;
  }
  return passed;
}

int LinkTrees::parent(int tree, int node) const {
  if (node == root_node_) return kNoNode;
  const Coordinates at = relative(node);
  const int trunks = static_cast<int>(axes_.size());
  if (tree >= trunks) return node_of(mirrored_parent(tree - trunks, at));
  return node_of(sweep_ ? sweep_parent(tree, at) : trunk_parent(tree, at));
}

std::vector<int> LinkTrees::children(int tree, int node) const {
  std::vector<int> found;
  const Coordinates at = coordinates_of(shape_, node);
  for (int axis : axes_) {
    for (int step : {1, -1}) {
      Coordinates next = at;
      next.at[axis] += step;
      const int extent = shape_.extent[axis];
      if (is_ring(axis)) next.at[axis] = (next.at[axis] + extent) % extent;
      if (next.at[axis] < 0 || next.at[axis] >= extent) continue;
      const int neighbour = node_at(shape_, next);
      if (parent(tree, neighbour) == node) found.push_back(neighbour);
    }
  }
  return found;
}

int forward_tree_count(const Shape& shape) { return LinkTrees::forward(shape, 0).count(); }

int all_tree_count(const Shape& shape) { return LinkTrees::all(shape, 0).count(); }

}  // namespace mpiactor::inter
