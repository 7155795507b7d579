// How messages that are under way at once share the links of a torus.
#ifndef MPIACTOR_INTER_TRAFFIC_H_
#define MPIACTOR_INTER_TRAFFIC_H_

#include <algorithm>
#include <cstddef>
#include <vector>

#include "inter/plan.h"
#include "inter/routes.h"

namespace mpiactor::inter {

// Edges over the directed links of a line, as differences from link to link.
class LineLoads {
 public:
  explicit LineLoads(int extent) : extent_(extent) {
    for (auto& way : ways_) way.assign(static_cast<std::size_t>(extent) + 1, 0);
  }

  void add(int from, const AxisRoute& route) {
    // The link upwards from p is up[p], the one downwards from p is down[p - 1], of the same pair.
    const bool up = route.direction > 0;
    const int first = up ? from : (from - route.hops + extent_) % extent_;
    std::vector<int>& way = ways_[up ? 0 : 1];
    const int last = first + route.hops;
    ++way[static_cast<std::size_t>(first)];
    --way[static_cast<std::size_t>(std::min(last, extent_))];
    if (last > extent_) {
      ++way[0];
      --way[static_cast<std::size_t>(last - extent_)];
    }
  }

  int most() const {
    int most = 0;
    for (const std::vector<int>& way : ways_) {
      int edges = 0;
      for (const int difference : way) most = std::max(most, edges += difference);
    }
    return most;
  }

  // Whether some way round has no link that is free for one message alone: each waits for one
  // before it, all round.
  bool circulates() const {
    return std::any_of(ways_, ways_ + 2, [this](const std::vector<int>& way) {
      int edges = 0;
      return std::all_of(way.begin(), way.begin() + extent_,
                         [&](int difference) { return (edges += difference) > 1; });
    });
  }

 private:
  int extent_;
  std::vector<int> ways_[2];
};

struct Traffic {
  int hops = 1;             // of the longest way
  double load = 1;          // messages over the busiest link, one direction
  bool circulates = false;  // along a ring
};

// Of one message from every node to `peer(node)`; none where that is the node itself.
template <typename Peer>
Traffic traffic_of(const Shape& shape, Peer peer) {
  const auto nodes = static_cast<int>(shape.nodes());
  std::vector<LineLoads> lines[3];
  for (int axis = 0; axis < 3; ++axis) {
    const int extent = shape.extent[axis];
    lines[axis].assign(static_cast<std::size_t>(nodes / extent), LineLoads(extent));
  }
  Traffic traffic{1, 0};
  for (int node = 0; node < nodes; ++node) {
    Coordinates at = coordinates_of(shape, node);
    const Coordinates to = coordinates_of(shape, peer(node));
    int hops = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const AxisRoute route = axis_route(shape, axis, at.at[axis], to.at[axis]);
      if (route.hops == 0) continue;
      const int inner = axis == 0 ? 1 : 0;
      const int outer = axis == 2 ? 1 : 2;
      const int line = at.at[inner] + shape.extent[inner] * at.at[outer];
      lines[axis][static_cast<std::size_t>(line)].add(at.at[axis], route);
      hops += route.hops;
      at.at[axis] = to.at[axis];
    }
    traffic.hops = std::max(traffic.hops, hops);
  }
  for (const std::vector<LineLoads>& of_axis : lines) {
    for (const LineLoads& line : of_axis) {
      traffic.load = std::max(traffic.load, static_cast<double>(line.most()));
      traffic.circulates |= line.circulates();
    }
  }
  return traffic;
}

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_TRAFFIC_H_
