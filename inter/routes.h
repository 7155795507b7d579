// The way a message takes on a torus or mesh: dimension-ordered, x first, the shorter way round.
#ifndef MPIACTOR_INTER_ROUTES_H_
#define MPIACTOR_INTER_ROUTES_H_

#include <cstdint>

#include "inter/plan.h"

namespace mpiactor::inter {

// Directed links that leave a node: index 2 * axis for the positive direction, + 1 for the
// negative.
inline constexpr int kLinksPerNode = 6;

struct Coordinates {
  int at[3] = {0, 0, 0};
  bool operator==(const Coordinates&) const = default;
};

inline Coordinates coordinates_of(const Shape& shape, int node) {
  const int x = node % shape.extent[0];
  const int rest = node / shape.extent[0];
  return {{x, rest % shape.extent[1], rest / shape.extent[1]}};
}

inline int node_at(const Shape& shape, const Coordinates& where) {
  return where.at[0] + shape.extent[0] * (where.at[1] + shape.extent[1] * where.at[2]);
}

// Hops and sign (+1, -1; 0 for none) along one axis from coordinate `from` to `to`; a tie between
// the two ways round goes up.
struct AxisRoute {
  int hops = 0;
  int direction = 0;
};

inline AxisRoute axis_route(const Shape& shape, int axis, int from, int to) {
  const int difference = to - from;
  if (difference == 0) return {};
  if (!shape.wraps[axis])
    return difference > 0 ? AxisRoute{difference, 1} : AxisRoute{-difference, -1};
  const int up = difference > 0 ? difference : difference + shape.extent[axis];
  const int down = shape.extent[axis] - up;
  return up <= down ? AxisRoute{up, 1} : AxisRoute{down, -1};
}

inline int hops(const Shape& shape, int from, int to) {
  const Coordinates a = coordinates_of(shape, from);
  const Coordinates b = coordinates_of(shape, to);
  int sum = 0;
  for (int axis = 0; axis < 3; ++axis) sum += axis_route(shape, axis, a.at[axis], b.at[axis]).hops;
  return sum;
}

// Calls visit(link) for every directed link on the way; link = node that it leaves * kLinksPerNode
// + direction index.
template <typename Visit>
void for_each_link(const Shape& shape, int from, int to, Visit&& visit) {
  Coordinates here = coordinates_of(shape, from);
  const Coordinates target = coordinates_of(shape, to);
  for (int axis = 0; axis < 3; ++axis) {
    const AxisRoute route = axis_route(shape, axis, here.at[axis], target.at[axis]);
    for (int hop = 0; hop < route.hops; ++hop) {
      visit(std::int64_t{node_at(shape, here)} * kLinksPerNode + 2 * axis + (route.direction < 0));
      const int extent = shape.extent[axis];
      here.at[axis] = (here.at[axis] + route.direction + extent) % extent;
    }
  }
}

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_ROUTES_H_
