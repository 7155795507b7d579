#include "sim/library_plan.h"

#include "inter/blocks.h"
#include "inter/registry.h"
#include "inter/scatter_tree.h"
#include "inter/virtual_rank.h"

namespace mpiactor::sim {
namespace {

constexpr std::uint64_t kShortBytes = 12 << 10;
constexpr std::uint64_t kLongBytes = 512 << 10;

inter::Plan plan_of(inter::Collective collective, const char* name, const inter::PlanInput& input) {
  return inter::find_algorithm(collective, name)->make_plan(input);
}

// Adds the allgather to a scatter of one taker, whose receive is `scattered`. The scatter has
// channel 0.
void add_allgather(const inter::Plan& allgather, std::uint32_t scattered, inter::Plan* plan) {
  const auto before = static_cast<std::uint32_t>(plan->ops.size());
  for (inter::PlanOp op : allgather.ops) {
    std::vector<std::uint32_t> waits;
    for (const std::uint32_t wait : allgather.waits_of(op)) waits.push_back(before + wait);
    if (op.kind == inter::OpKind::kSend) waits.push_back(scattered);
    op.channel = (op.channel + 1) % inter::kMaxChannels;
    plan->add(op, waits);
  }
}

}  // namespace

const char* library_algorithm(std::uint64_t bytes, std::int64_t takers) {
  if (bytes < kShortBytes) return "binomial";
  return bytes < kLongBytes && (takers & (takers - 1)) == 0 ? "rdaas" : "ring";
}

inter::Plan library_plan(const std::string& algorithm, const inter::PlanInput& input) {
  if (algorithm == "binomial") return plan_of(inter::Collective::kBcast, "binomial", input);
  // Takers are counted from the root.
  const inter::VirtualRank ranks(input);
  inter::PlanInput from_root = input;
  from_root.root_node = 0;
  from_root.node = ranks.of_node(input.node);
  inter::Plan plan;
  const std::uint32_t scattered =
      inter::add_scatter(plan, from_root, inter::Blocks(input.bytes, ranks.nodes));
  const char* const allgather = algorithm == "rdaas" ? "recdoubling" : "ring";
  add_allgather(plan_of(inter::Collective::kAllgather, allgather, from_root), scattered, &plan);
  for (inter::PlanOp& op : plan.ops) op.peer = ranks.to_node(op.peer);
  return plan;
}

}  // namespace mpiactor::sim
