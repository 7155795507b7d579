#include "inter/tofu_algos/snake.h"

namespace mpiactor::inter {
namespace {

int turned(int coordinate, int extent, int row) {
  return row % 2 == 0 ? coordinate : extent - 1 - coordinate;
}

}  // namespace

Snake::Snake(const Shape& shape, int root_node) : shape_(shape) {
  const Coordinates root = coordinates_of(shape, root_node);
  for (int axis = 0; axis < 3; ++axis) origin_.at[axis] = shape.wraps[axis] ? root.at[axis] : 0;
}

int Snake::position_of(int node) const {
  Coordinates at = coordinates_of(shape_, node);
  for (int axis = 0; axis < 3; ++axis) {
    const int extent = shape_.extent[axis];
    at.at[axis] = (at.at[axis] - origin_.at[axis] + extent) % extent;
  }
  const int row = at.at[2] * shape_.extent[1] + turned(at.at[1], shape_.extent[1], at.at[2]);
  return row * shape_.extent[0] + turned(at.at[0], shape_.extent[0], row);
}

int Snake::node_at_position(int position) const {
  const int row = position / shape_.extent[0];
  const int layer = row / shape_.extent[1];
  Coordinates at{{turned(position % shape_.extent[0], shape_.extent[0], row),
                  turned(row % shape_.extent[1], shape_.extent[1], layer), layer}};
  for (int axis = 0; axis < 3; ++axis) {
    at.at[axis] = (at.at[axis] + origin_.at[axis]) % shape_.extent[axis];
  }
  return node_at(shape_, at);
}

}  // namespace mpiactor::inter
