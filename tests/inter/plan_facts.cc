// Prints what the registered plans really do, for the test of docs/algorithms.md: a list of
// {"collective", "algorithm", "source", "full_streams", "cases"}, each case a shape with its
// measures. Message sizes are such that all blocks, halves, thirds, quarters and sixths are equal.
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "inter/verifier.h"

namespace mpiactor::inter {
namespace {

// Bytes of a block of an alltoall, or of a node's part of the message.
constexpr std::uint64_t kBlockBytes = 3'072;

Shape grid(int x, int y, int z, bool wraps = true) { return {{x, y, z}, {wraps, wraps, wraps}}; }

std::vector<Shape> shapes() {
  std::vector<Shape> found;
  for (int nodes = 2; nodes <= 33; ++nodes) found.push_back(Shape::line(nodes));
  for (const Shape& shape :
       {grid(3, 3, 3), grid(4, 3, 5), grid(5, 4, 3), grid(4, 4, 4), grid(6, 5, 1), grid(3, 8, 1),
        grid(5, 2, 2), grid(4, 3, 5, false), grid(6, 5, 1, false), grid(9, 1, 1, false)}) {
    found.push_back(shape);
  }
  found.push_back({{3, 4, 5}, {true, false, true}});
  return found;
}

bool is_ring(const Shape& shape, int axis) { return shape.wraps[axis] && shape.extent[axis] > 2; }

// Most bytes that a node takes ahead of their place in one piece: whole messages where strided.
std::uint64_t ahead_bytes(const Algorithm& algorithm, const Scenario& scenario, bool strided) {
  std::uint64_t most = 0;
  for (int node = 0; node < scenario.shape.nodes(); ++node) {
    const Plan plan = algorithm.make_plan({.shape = scenario.shape,
                                           .root_node = scenario.root_node,
                                           .bytes = scenario.bytes,
                                           .node = node});
    for (const PlanOp& op : plan.ops) {
      if (op.takes_ahead() && op.is_strided() == strided) most = std::max(most, op.bytes);
    }
  }
  return most;
}

nlohmann::json facts_of(const Algorithm& algorithm, const Shape& shape) {
  const auto nodes = static_cast<std::uint64_t>(shape.nodes());
  const bool is_alltoall = algorithm.collective == Collective::kAlltoall;
  Scenario scenario;
  scenario.collective = algorithm.collective;
  scenario.shape = shape;
  scenario.root_node = shape.extent[0] - 1;
  scenario.bytes = kBlockBytes * nodes * (is_alltoall ? nodes : 1);
  scenario.segment_bytes = scenario.bytes;
  const VerifyReport report = verify_algorithm(algorithm, scenario);
  if (!report.ok()) throw std::runtime_error(report.error);
  int axes = 0;
  int rings = 0;
  for (int axis = 0; axis < 3; ++axis) {
    axes += shape.extent[axis] > 1;
    rings += is_ring(shape, axis);
  }
  return {{"X", shape.extent[0]},
          {"Y", shape.extent[1]},
          {"Z", shape.extent[2]},
          {"wraps", {shape.wraps[0], shape.wraps[1], shape.wraps[2]}},
          {"N", nodes},
          {"M", scenario.bytes},
          {"b", kBlockBytes},
          {"d", axes},
          {"r", rings},
          {"depth", report.depth},
          {"rounds", report.rounds},
          {"sent", report.max_sent_bytes},
          {"operations", report.max_ops},
          {"streams", algorithm.streams(shape)},
          {"streams_in_plans", report.streams},
          {"link_streams", report.links.max_streams},
          {"link_bytes", report.links.max_bytes},
          {"reduces_ahead", ahead_bytes(algorithm, scenario, false)},
          {"packed_ahead", ahead_bytes(algorithm, scenario, true)}};
}

}  // namespace
}  // namespace mpiactor::inter

int main() {
  using namespace mpiactor::inter;
  nlohmann::json all = nlohmann::json::array();
  try {
    for (const Algorithm& algorithm : algorithms()) {
      nlohmann::json cases = nlohmann::json::array();
      for (const Shape& shape : shapes()) {
        if (algorithm.supports(shape)) cases.push_back(facts_of(algorithm, shape));
      }
      all.push_back({{"collective", collective_name(algorithm.collective)},
                     {"algorithm", algorithm.name},
                     {"source", algorithm.source},
                     {"full_streams", algorithm.full_streams},
                     {"operation_bytes", sizeof(PlanOp)},
                     {"cases", std::move(cases)}});
    }
  } catch (const std::exception& error) {
    std::cerr << "plan_facts: " << error.what() << '\n';
    return 1;
  }
  std::cout << all.dump() << '\n';
}
