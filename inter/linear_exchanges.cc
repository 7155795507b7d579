// Reductions and allgather in which nothing is passed on: whoever needs a node's bytes gets them
// from that node, everything at once. On few nodes that is quickest, since no node waits for one in
// between.
#include <vector>

#include "inter/algorithms.h"
#include "inter/blocks.h"
#include "inter/exchange_plan.h"

namespace mpiactor::inter {
namespace {

int nodes_of(const PlanInput& input) { return static_cast<int>(input.shape.nodes()); }

// The other nodes, in their order: so all that is received is combined.
std::vector<int> others_in_order(const PlanInput& input) {
  std::vector<int> others;
  for (int node = 0; node < nodes_of(input); ++node) {
    if (node != input.node) others.push_back(node);
  }
  return others;
}

// The nearest behind this one first, or before it, so that not all send to the same node first.
std::vector<int> others_by_distance(const PlanInput& input, int direction = 1) {
  const int nodes = nodes_of(input);
  std::vector<int> others;
  for (int step = 1; step < nodes; ++step) {
    others.push_back((input.node + direction * step + nodes) % nodes);
  }
  return others;
}

// The same range, to each of `nodes` or from it.
std::vector<Transfer> of_all(const std::vector<int>& nodes, const ByteRange& range) {
  std::vector<Transfer> found;
  for (const int node : nodes) found.push_back({node, range.offset, range.bytes});
  return found;
}

// The block of each of `nodes`.
std::vector<Transfer> of_each(const std::vector<int>& nodes, const NodeBlocks& blocks) {
  std::vector<Transfer> found;
  for (const int node : nodes) {
    const ByteRange block = blocks.of(node);
    found.push_back({node, block.offset, block.bytes});
  }
  return found;
}

}  // namespace

// All nodes send their vectors to the root, which combines them in the order of the nodes.
Plan reduce_linear(const PlanInput& input) {
  if (input.node == input.root_node) {
    return exchange_plan(input.node, nodes_of(input), {},
                         of_all(others_in_order(input), {0, input.bytes}), Intake::kCombineInOrder);
  }
  const Transfer to_root{input.root_node, 0, input.bytes};
  return exchange_plan(input.node, nodes_of(input), {&to_root, 1}, {});
}

// Each node sends each other one its block of the vector, and combines what comes for its own.
Plan reduce_scatter_linear(const PlanInput& input) {
  const NodeBlocks blocks(input);
  return exchange_plan(input.node, nodes_of(input), of_each(others_by_distance(input), blocks),
                       of_all(others_in_order(input), blocks.of(input.node)),
                       Intake::kCombineInOrder);
}

Plan allgather_linear(const PlanInput& input) {
  const NodeBlocks blocks(input);
  return exchange_plan(input.node, nodes_of(input),
                       of_all(others_by_distance(input), blocks.of(input.node)),
                       of_each(others_by_distance(input, -1), blocks));
}

// All nodes send their vectors to all others, each of which combines them for itself.
Plan allreduce_linear(const PlanInput& input) {
  const ByteRange all{0, input.bytes};
  Plan plan;
  std::vector<std::uint32_t> before;  // what the next one to be combined waits for
  for (const int node : others_by_distance(input)) {
    before.push_back(plan.add(exchange_op(OpKind::kSend, input.node, node, nodes_of(input), all)));
  }
  for (const int node : others_in_order(input)) {
    before = {plan.add(exchange_op(OpKind::kReceiveReduce, input.node, node, nodes_of(input), all),
                       before)};
  }
  return plan;
}

// Reduce-scatter, then each node sends all others its block of the result: as many bytes as with
// Rabenseifner's algorithm, in two rounds.
Plan allreduce_shares(const PlanInput& input) {
  const NodeBlocks blocks(input);
  const ByteRange own = blocks.of(input.node);
  Plan plan = reduce_scatter_linear(input);
  std::uint32_t combined = Plan::kNoOp;
  std::vector<std::uint32_t> sent(static_cast<std::size_t>(nodes_of(input)), Plan::kNoOp);
  for (std::uint32_t i = 0; i < plan.ops.size(); ++i) {
    const PlanOp& op = plan.ops[i];
    (op.kind == OpKind::kSend ? sent[static_cast<std::size_t>(op.peer)] : combined) = i;
  }
  for (const int node : others_in_order(input)) {
    plan.add(exchange_op(OpKind::kReceive, input.node, node, nodes_of(input), blocks.of(node), 1),
             {sent[static_cast<std::size_t>(node)]});
  }
  for (const int node : others_by_distance(input)) {
    plan.add(exchange_op(OpKind::kSend, input.node, node, nodes_of(input), own, 1), {combined});
  }
  return plan;
}

}  // namespace mpiactor::inter
