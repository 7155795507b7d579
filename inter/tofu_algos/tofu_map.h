// Lays a virtual 1-, 2- or 3-D torus onto a Tofu network, so that virtual neighbours are physical
// neighbours and failed nodes are left out ([K-MPI]: "users see a virtual torus").
//
// Every virtual axis takes some of the six physical axes. A node's place on one virtual axis is a
// point of the grid that these axes span, and does not depend on its places on the others; so it is
// enough to find in each grid a closed walk from neighbour to neighbour, as long as the virtual
// axis, past the points that must be left out. It is a ladder: a path through all but one of the
// axes, the rails running along it, and the last axis (A, B or C: two or three nodes) being the
// rungs; out on one rail and back on another.
#ifndef MPIACTOR_INTER_TOFU_ALGOS_TOFU_MAP_H_
#define MPIACTOR_INTER_TOFU_ALGOS_TOFU_MAP_H_

#include <array>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "inter/plan.h"

namespace mpiactor::inter {

inline constexpr int kTofuAxes = 6;  // X, Y, Z, A, B, C
using TofuNode = std::array<int, kTofuAxes>;

struct TofuMachine {
  TofuNode extent = {1, 1, 1, 1, 1, 1};
  // [K-MPI]: Y, A and C have no wrap-around.
  std::array<bool, kTofuAxes> wraps = {true, false, true, false, true, false};

  std::int64_t nodes() const;
  bool contains(const TofuNode& node) const;
  bool neighbours(const TofuNode& a, const TofuNode& b) const;
};

// "24x18x16x2x3x2"
std::string text_of(const TofuMachine& machine);
std::string text_of(const TofuNode& node);

// The asked shape cannot be laid; the text says why.
class TofuMapError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class TofuMap {
 public:
  // An axis of `shape` without wrap-around is laid as a path. Throws TofuMapError.
  TofuMap(const TofuMachine& machine, const Shape& shape, std::span<const TofuNode> failed);

  const Shape& shape() const { return shape_; }
  // Of a virtual node: x + extent[0] * (y + extent[1] * z), as in plans.
  TofuNode node_at(int position) const;

 private:
  // One virtual axis: physical axes and, for each place on the axis, their coordinates.
  struct Axis {
    std::vector<int> physical;
    std::vector<std::vector<int>> walk;
  };

  Shape shape_;
  std::array<Axis, 3> axes_;
  TofuNode elsewhere_ = {};  // coordinates on axes that no virtual axis takes
};

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_TOFU_ALGOS_TOFU_MAP_H_
