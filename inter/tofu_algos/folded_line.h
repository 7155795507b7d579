// An axis without wrap-around as a ring: 0, 2, 4, ..., 5, 3, 1. Neighbours on that ring are at most
// two hops apart, and one direction of it takes every link of the line once, both ways.
#ifndef MPIACTOR_INTER_TOFU_ALGOS_FOLDED_LINE_H_
#define MPIACTOR_INTER_TOFU_ALGOS_FOLDED_LINE_H_

#include "inter/plan.h"

namespace mpiactor::inter {

// Two nodes are a line, whatever the shape says.
inline bool is_ring(const Shape& shape, int axis) {
  return shape.wraps[axis] && shape.extent[axis] > 2;
}

// Position on the folded ring of `extent` nodes, and back.
inline int folded_position(int coordinate, int extent) {
  return coordinate % 2 == 0 ? coordinate / 2 : extent - (coordinate + 1) / 2;
}
inline int unfolded(int position, int extent) {
  return 2 * position < extent ? 2 * position : 2 * (extent - position) - 1;
}

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_TOFU_ALGOS_FOLDED_LINE_H_
