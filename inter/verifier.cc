#include "inter/verifier.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "inter/verifier_blocks.h"
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

namespace {

VerifyReport verify_joined(std::span<const Plan> plans, const Scenario& scenario) {
  VerifyReport report;
  verifier::Network network;
  report.error = verifier::check_ops(plans, scenario);
  if (report.ok()) report.error = verifier::match(plans, network);
  if (report.ok()) report.error = verifier::check_races(network);
  if (report.ok()) report.error = verifier::run_randomly(network, scenario);
  if (report.ok()) verifier::measure(network, scenario, report);
  return report;
}

VerifyReport failed(std::string error) {
  VerifyReport report;
  report.error = std::move(error);
  return report;
}

}  // namespace

VerifyReport verify_plans(std::span<const Plan> plans, const Scenario& scenario) {
  const auto nodes = static_cast<std::size_t>(scenario.shape.nodes());
  if (plans.size() != nodes) {
    return failed(fmt::format("{} plans for {} nodes", plans.size(), nodes));
  }
  if (!scenario.sizes.empty() && scenario.sizes.size() != nodes * nodes) {
    return failed(fmt::format("{} sizes for {} nodes; allowed: none or {}", scenario.sizes.size(),
                              nodes, nodes * nodes));
  }
  std::string error = verifier::check_layouts(plans, scenario);
  if (!error.empty()) return failed(std::move(error));
  if (scenario.sizes.empty()) return verify_joined(plans, scenario);

  const verifier::BlockMatrix matrix(scenario);
  std::vector<Plan> joined(plans.begin(), plans.end());
  error = verifier::join_buffers(matrix, joined);
  if (!error.empty()) return failed(std::move(error));
  Scenario over_all = scenario;
  over_all.bytes = matrix.bytes();
  return verify_joined(joined, over_all);
}

VerifyReport verify_algorithm(const Algorithm& algorithm, const Scenario& asked) {
  Scenario scenario = asked;
  scenario.collective = algorithm.collective;
  scenario.combines_in_node_order = algorithm.combines_in_node_order;
  const int nodes = static_cast<int>(scenario.shape.nodes());
  PlanInput input{.shape = scenario.shape,
                  .root_node = scenario.root_node,
                  .bytes = scenario.bytes,
                  .granule_bytes = scenario.granule_bytes,
                  .cuts = scenario.cuts};
  std::optional<verifier::BlockMatrix> matrix;
  if (!scenario.sizes.empty()) matrix.emplace(scenario);
  std::vector<Plan> plans;
  plans.reserve(static_cast<std::size_t>(nodes));
  for (input.node = 0; input.node < nodes; ++input.node) {
    verifier::OwnBuffers own;
    if (matrix) own = verifier::own_buffers(*matrix, nodes, input.node);
    input.gives = own.gives;
    input.takes = own.takes;
    plans.push_back(algorithm.make_plan(input));
  }
  VerifyReport report = verify_plans(plans, scenario);
  if (!report.ok()) {
    report.error = fmt::format("{} {} on {}: {}", collective_name(algorithm.collective),
                               algorithm.name, describe(scenario), report.error);
  }
  return report;
}

}  // namespace mpiactor::inter
