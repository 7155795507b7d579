#include "inter/verifier.h"

#include <fmt/format.h>

#include <vector>

#include "inter/verifier_parts.h"

namespace mpiactor::inter {

std::string describe(const Scenario& scenario) {
  const Shape& shape = scenario.shape;
  std::string text;
  for (int axis = 0; axis < 3; ++axis) {
    text += fmt::format("{}{}{}", axis == 0 ? "" : "x", shape.extent[axis],
                        shape.wraps[axis] ? "" : "m");
  }
  return text + fmt::format(" root {}, {} bytes, segments of {}, seed {}", scenario.root_node,
                            scenario.bytes, scenario.segment_bytes, scenario.seed);
}

VerifyReport verify_plans(std::span<const Plan> plans, const Scenario& scenario) {
  VerifyReport report;
  if (static_cast<std::int64_t>(plans.size()) != scenario.shape.nodes()) {
    report.error = fmt::format("{} plans for {} nodes", plans.size(), scenario.shape.nodes());
    return report;
  }
  verifier::Network network;
  report.error = verifier::check_ops(plans);
  if (report.ok()) report.error = verifier::match(plans, network);
  if (report.ok()) report.error = verifier::check_races(network);
  if (report.ok()) report.error = verifier::run_randomly(network, scenario);
  if (report.ok()) verifier::measure(network, scenario, report);
  return report;
}

VerifyReport verify_algorithm(const Algorithm& algorithm, const Scenario& asked) {
  Scenario scenario = asked;
  scenario.collective = algorithm.collective;
  std::vector<Plan> plans;
  const int nodes = static_cast<int>(scenario.shape.nodes());
  plans.reserve(static_cast<std::size_t>(nodes));
  for (int node = 0; node < nodes; ++node) {
    plans.push_back(algorithm.make_plan({.shape = scenario.shape,
                                         .root_node = scenario.root_node,
                                         .bytes = scenario.bytes,
                                         .node = node,
                                         .granule_bytes = scenario.granule_bytes}));
  }
  VerifyReport report = verify_plans(plans, scenario);
  if (!report.ok()) {
    report.error = fmt::format("{} {} on {}: {}", collective_name(algorithm.collective),
                               algorithm.name, describe(scenario), report.error);
  }
  return report;
}

}  // namespace mpiactor::inter
