// Allgather on three-dimensional multi-rings [K-perf]: every block in quarters, each quarter on its
// own way through the axes. Along its first axis a quarter goes round the ring of that line; along
// the second the quarters of the whole line go round, along the third those of the whole plane. The
// first three ways go forward, each beginning with another axis; the fourth goes backward. Four
// links of a node are at work at once, and all nodes do the same.
#include <vector>

#include "inter/blocks.h"
#include "inter/routes.h"
#include "inter/tofu_algos/algorithms.h"

namespace mpiactor::inter {
namespace {

struct Way {
  int axes[3];
  int direction;
};

constexpr Way kWays[] = {
    {{0, 1, 2}, +1},
    {{1, 2, 0}, +1},
    {{2, 0, 1}, +1},
    {{0, 1, 2}, -1},
};
constexpr int kWayCount = 4;
// Channels of one stage of one way: its steps come from one peer and share them in turn.
constexpr int kChannelsPerStage = kMaxChannels / (3 * kWayCount);

// One way of one node: the operations of its quarters.
class WayPlan {
 public:
  WayPlan(Plan& plan, const PlanInput& input, int way)
      : plan_(plan),
        input_(input),
        shape_(input.shape),
        way_(way),
        self_(coordinates_of(shape_, input.node)),
        blocks_(input.bytes, static_cast<int>(shape_.nodes()), input.granule_bytes),
        received_(static_cast<std::size_t>(shape_.nodes()), Plan::kNoOp) {}

  void add() {
    // Offsets along the axes done so far, from this node: what it holds and passes on.
    std::vector<Coordinates> held = {self_};
    for (int stage = 0; stage < 3; ++stage) {
      const int axis = kWays[way_].axes[stage];
      int transfer = 0;
      std::vector<Coordinates> after = held;
      for (int step = 1; step < shape_.extent[axis]; ++step) {
        for (const Coordinates& place : held) {
          const int channel =
              (way_ * 3 + stage) * kChannelsPerStage + transfer++ % kChannelsPerStage;
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
  Coordinates moved(Coordinates at, int axis, int steps) const {
    const int extent = shape_.extent[axis];
    at.at[axis] = (at.at[axis] + kWays[way_].direction * steps + extent) % extent;
    return at;
  }

  ByteRange quarter(int node) const {
    const ByteRange block = blocks_.range(node, node + 1);
    const Blocks quarters(block.bytes, kWayCount, input_.granule_bytes);
    const ByteRange part = quarters.range(way_, way_ + 1);
    return {block.offset + part.offset, part.bytes};
  }

  PlanOp op_of(OpKind kind, const Coordinates& peer, int block, int channel) const {
    const ByteRange range = quarter(block);
    return {.kind = kind,
            .peer = node_at(shape_, peer),
            .offset = range.offset,
            .bytes = range.bytes,
            .stream = way_,
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
  int way_;
  Coordinates self_;
  Blocks blocks_;
  std::vector<std::uint32_t> received_;  // of each node's quarter
};

}  // namespace

Plan allgather_multi_ring(const PlanInput& input) {
  Plan plan;
  for (int way = 0; way < kWayCount; ++way) WayPlan(plan, input, way).add();
  return plan;
}

}  // namespace mpiactor::inter
