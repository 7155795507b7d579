// Hand-written plans whose times can be computed by hand.
#ifndef MPIACTOR_TESTS_SIM_PLANS_H_
#define MPIACTOR_TESTS_SIM_PLANS_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <vector>

#include "inter/plan.h"
#include "sim/machine.h"
#include "sim/simulation.h"

namespace mpiactor::sim {

inline constexpr Picoseconds kUs = kPicosecondsPerMicrosecond;

// 1,000 MB/s links: 1,000 bytes take 1 us. A message over one link:
// 0.5 (sender) + 1 (hop) + 2 (wire) + bytes / 1000 + 0.5 (receiver) us.
inline Machine round_machine() {
  Machine machine;
  machine.name = "round";
  machine.network = NetworkKind::kTorus;
  machine.link_mbps = 1000;
  machine.hop_ps = kUs;
  machine.interfaces = 6;
  machine.path_mbps = 1e6;
  machine.send_overhead_ps = kUs / 2;
  machine.receive_overhead_ps = kUs / 2;
  machine.wire_latency_ps = 2 * kUs;
  machine.startup_ps = 0;
  machine.rendezvous_ps = 0;
  machine.eager_bytes_1_hop = 0;
  machine.eager_bytes_40_hops = 0;
  machine.reduce_mbps = 500;
  machine.copy_mbps = 2000;
  machine.memory_mbps = 2000;
  machine.window = 1;
  machine.segment_bytes = 1000;
  return machine;
}

inline inter::PlanOp send_to(int peer, std::uint64_t bytes, int channel = 0,
                             std::uint64_t offset = 0) {
  return {.kind = inter::OpKind::kSend,
          .peer = peer,
          .offset = offset,
          .bytes = bytes,
          .channel = channel};
}

inline inter::PlanOp receive_from(int peer, std::uint64_t bytes, int channel = 0,
                                  std::uint64_t offset = 0) {
  return {.kind = inter::OpKind::kReceive,
          .peer = peer,
          .offset = offset,
          .bytes = bytes,
          .channel = channel};
}

struct Message {
  int from = 0;
  int to = 0;
  std::uint64_t bytes = 0;
};

// Messages that wait for nothing.
inline inter::Plan independent_messages(const std::vector<Message>& messages, int node) {
  inter::Plan plan;
  for (std::size_t k = 0; k < messages.size(); ++k) {
    const int channel = static_cast<int>(k);
    if (messages[k].from == node) plan.add(send_to(messages[k].to, messages[k].bytes, channel));
    if (messages[k].to == node)
      plan.add(receive_from(messages[k].from, messages[k].bytes, channel));
  }
  return plan;
}

// 0 -> 1 -> 2 ..., segment by segment.
inline inter::Plan chain_plan(int nodes, std::uint64_t bytes, int node) {
  inter::Plan plan;
  std::uint32_t received = inter::Plan::kNoOp;
  if (node > 0) received = plan.add(receive_from(node - 1, bytes));
  if (node + 1 < nodes) plan.add(send_to(node + 1, bytes), {received});
  return plan;
}

// Three pipelined trees of a third each: tree k runs along axis k first, then the others in
// rotation, upwards without wrap-around. Links are shared, but the load is that of three trees.
inline inter::Plan dimension_trees_plan(const inter::Shape& shape, std::uint64_t bytes, int node) {
  const int stride[3] = {1, shape.extent[0], shape.extent[0] * shape.extent[1]};
  int at[3];
  for (int axis = 0; axis < 3; ++axis) at[axis] = node / stride[axis] % shape.extent[axis];
  inter::Plan plan;
  for (int tree = 0; tree < 3; ++tree) {
    const std::uint64_t third = bytes / 3;
    const std::uint64_t offset = third * static_cast<std::uint64_t>(tree);
    const std::uint64_t part = tree == 2 ? bytes - offset : third;
    int deepest = -1;  // position in the tree's order of axes of the last one moved along
    for (int k = 0; k < 3; ++k) {
      if (at[(tree + k) % 3] > 0) deepest = k;
    }
    std::uint32_t received = inter::Plan::kNoOp;
    if (deepest >= 0) {
      received = plan.add(receive_from(node - stride[(tree + deepest) % 3], part, tree, offset));
    }
    for (int k = std::max(deepest, 0); k < 3; ++k) {
      const int axis = (tree + k) % 3;
      if (at[axis] + 1 < shape.extent[axis]) {
        plan.add(send_to(node + stride[axis], part, tree, offset), {received});
      }
    }
  }
  return plan;
}

inline SimulationResult play(const Machine& machine, const inter::Shape& shape,
                             std::function<inter::Plan(int)> make_plan,
                             std::vector<Picoseconds> arrivals = {}) {
  SimulationInput input;
  input.machine = &machine;
  input.shape = shape;
  input.segment_bytes = machine.segment_bytes;
  input.window = machine.window;
  input.make_plan = std::move(make_plan);
  input.arrivals = arrivals;
  return simulate(input);
}

}  // namespace mpiactor::sim

#endif  // MPIACTOR_TESTS_SIM_PLANS_H_
