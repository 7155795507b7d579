// Allgather on three-dimensional multi-rings [K-perf]: every block in parts, each part on its own
// way through the axes. Along its first axis a part goes round the ring of that line; along the
// second the parts of the whole line go round, along the third those of the whole plane. Nearly all
// bytes go in the last stage, so each way ends with an axis and direction of its own: on a 3-D
// torus forward with z, x and y, and backward with z, four links of a node at work at once.
//
// An axis without wrap-around is a folded ring (folded_line.h). One direction of it takes all of
// the line's links, so there is no backward way for such an axis, and with one part an axis a mesh
// gets all that its corners can take in.
#include <vector>

#include "inter/blocks.h"
#include "inter/routes.h"
#include "inter/tofu_algos/algorithms.h"
#include "inter/tofu_algos/folded_line.h"

namespace mpiactor::inter {
namespace {

struct Way {
  int last_axis;
  int direction;

  int axis_of(int stage) const { return (last_axis + 1 + stage) % 3; }
};

constexpr int kMostWays = 4;

std::vector<Way> ways_on(const Shape& shape) {
  std::vector<Way> ways;
  for (int direction : {+1, -1}) {
    for (int axis : {2, 0, 1}) {
      const bool offers = direction > 0 ? shape.extent[axis] > 1 : is_ring(shape, axis);
      if (offers && static_cast<int>(ways.size()) < kMostWays) ways.push_back({axis, direction});
    }
  }
  return ways;
}

// Channels of one stage of one way: its steps come from one peer and share them in turn.
constexpr int kChannelsPerStage = kMaxChannels / (3 * kMostWays);

// One way of one node: the operations of its parts.
class WayPlan {
 public:
  WayPlan(Plan& plan, const PlanInput& input, const std::vector<Way>& ways, int number)
      : plan_(plan),
        input_(input),
        shape_(input.shape),
        way_(ways[static_cast<std::size_t>(number)]),
        number_(number),
        way_count_(static_cast<int>(ways.size())),
        self_(coordinates_of(shape_, input.node)),
        blocks_(input.bytes, static_cast<int>(shape_.nodes()), input.granule_bytes),
        received_(static_cast<std::size_t>(shape_.nodes()), Plan::kNoOp) {}

  void add() {
    // Offsets along the axes done so far, from this node: what it holds and passes on.
    std::vector<Coordinates> held = {self_};
    for (int stage = 0; stage < 3; ++stage) {
      const int axis = way_.axis_of(stage);
      int transfer = 0;
      std::vector<Coordinates> after = held;
      for (int step = 1; step < shape_.extent[axis]; ++step) {
        for (const Coordinates& place : held) {
          const int channel =
              (number_ * 3 + stage) * kChannelsPerStage + transfer++ % kChannelsPerStage;
          pass_on(moved(place, axis, 1 - step), axis, channel);
          const Coordinates taken = moved(place, axis, -step);
          take(taken, axis, channel);
          after.push_back(taken);
        }
      }
      held = std::move(after);
    }
  }

 private:
  // Along the ring of the axis; fewer steps than it has nodes.
  Coordinates moved(Coordinates at, int axis, int steps) const {
    const int extent = shape_.extent[axis];
    const bool folded = !is_ring(shape_, axis);
    int& coordinate = at.at[axis];
    const int position = folded ? folded_position(coordinate, extent) : coordinate;
    const int there = (position + way_.direction * steps + extent) % extent;
    coordinate = folded ? unfolded(there, extent) : there;
    return at;
  }

  ByteRange part_of_block(int node) const {
    const ByteRange block = blocks_.range(node, node + 1);
    const Blocks parts(block.bytes, way_count_, input_.granule_bytes);
    const ByteRange part = parts.range(number_, number_ + 1);
    return {block.offset + part.offset, part.bytes};
  }

  PlanOp op_of(OpKind kind, const Coordinates& peer, int block, int channel) const {
    const ByteRange range = part_of_block(block);
    return {.kind = kind,
            .peer = node_at(shape_, peer),
            .offset = range.offset,
            .bytes = range.bytes,
            .stream = number_,
            .channel = channel};
  }

  void pass_on(const Coordinates& block_of, int axis, int channel) {
    const int block = node_at(shape_, block_of);
    plan_.add(op_of(OpKind::kSend, moved(self_, axis, 1), block, channel),
              {received_[static_cast<std::size_t>(block)]});
  }

  void take(const Coordinates& block_of, int axis, int channel) {
    const int block = node_at(shape_, block_of);
    received_[static_cast<std::size_t>(block)] =
        plan_.add(op_of(OpKind::kReceive, moved(self_, axis, -1), block, channel));
  }

  Plan& plan_;
  const PlanInput& input_;
  const Shape& shape_;
  Way way_;
  int number_;
  int way_count_;
  Coordinates self_;
  Blocks blocks_;
  std::vector<std::uint32_t> received_;  // of each node's part
};

}  // namespace

Plan allgather_multi_ring(const PlanInput& input) {
  const std::vector<Way> ways = ways_on(input.shape);
  Plan plan;
  for (int number = 0; number < static_cast<int>(ways.size()); ++number) {
    WayPlan(plan, input, ways, number).add();
  }
  return plan;
}

int multi_ring_streams(const Shape& shape) { return static_cast<int>(ways_on(shape).size()); }

}  // namespace mpiactor::inter
