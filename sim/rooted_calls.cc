// Scatter, gather and reduce between nodes: one message a node, from or to the root.
#include <algorithm>

#include "inter/exchange_plan.h"
#include "inter/ways.h"
#include "sim/calls_between_nodes.h"

namespace mpiactor::sim {
namespace {

// The blocks of a node's ranks, in the order of ranks.
inter::ByteRange blocks_of(const Layout& layout, int node, std::uint64_t bytes) {
  return {static_cast<std::uint64_t>(layout.first_rank(node)) * bytes,
          static_cast<std::uint64_t>(layout.members(node)) * bytes};
}

// A scatter's or gather's: a message for each node but the root's, from there or to there.
inter::Plan blocks_plan(const Layout& layout, int node, int root_node, std::uint64_t bytes,
                        bool to_root) {
  std::vector<inter::Transfer> messages;
  for (int other = 0; other < layout.nodes; ++other) {
    if (other == node || (node != root_node && other != root_node)) continue;
    const inter::ByteRange blocks = blocks_of(layout, node == root_node ? other : node, bytes);
    messages.push_back({other, blocks.offset, blocks.bytes});
  }
  const std::span<const inter::Transfer> none;
  return (node == root_node) == to_root ? inter::exchange_plan(node, layout.nodes, none, messages)
                                        : inter::exchange_plan(node, layout.nodes, messages, none);
}

std::uint64_t longest_message(const Layout& layout, std::uint64_t bytes) {
  return static_cast<std::uint64_t>(layout.most_members()) * bytes;
}

// A gather or reduce while it is played.
class ToRoot {
 public:
  ToRoot(const Machine& machine, const RecordedCall& call, LeaderPolicy policy)
      : machine_(machine),
        call_(call),
        policy_(policy),
        layout_(call.layout()),
        root_node_(layout_.node_of(call.root_rank)),
        reduces_(call.operation == RecordedOperation::kReduce),
        laying_down_(time_of(call.bytes, machine.copy_ps_per_byte(1))) {}

  PlayedCall play() const {
    std::vector<Picoseconds> entries;
    for (int node = 0; node < layout_.nodes; ++node) entries.push_back(complete(node));
    const std::uint64_t segment =
        reduces_ ? inter::kReduceBlockBytes : longest_message(layout_, call_.bytes);
    const SimulationResult nodes =
        simulate_nodes(machine_, layout_,
                       {.make_plan = [this](int node) { return plan_of(node); },
                        .segment_bytes = segment,
                        .entries = entries});
    return {.algorithm = "direct", .segment_bytes = segment, .exits = exits(nodes)};
  }

 private:
  inter::Plan plan_of(int node) const {
    if (!reduces_) return blocks_plan(layout_, node, root_node_, call_.bytes, true);
    inter::PlanInput input;
    input.shape = inter::Shape::line(layout_.nodes);
    input.root_node = root_node_;
    input.bytes = call_.bytes;
    input.node = node;
    return inter::find_algorithm(inter::Collective::kReduce, "linear")->make_plan(input);
  }
  Picoseconds arrival(int rank) const { return call_.arrivals[static_cast<std::size_t>(rank)]; }

  // When a node's part lies in staging. The root lays nothing down.
  Picoseconds complete(int node) const {
    Picoseconds laid_down = 0;
    for (int k = 0; k < layout_.members(node); ++k) {
      const int rank = layout_.first_rank(node) + k;
      laid_down = std::max(laid_down, arrival(rank) + (rank == call_.root_rank ? 0 : laying_down_));
    }
    const auto followers = static_cast<std::uint64_t>(layout_.members(node) - 1);
    return laid_down +
           (reduces_ ? time_of(call_.bytes * followers, 1e6 / machine_.reduce_mbps) : 0);
  }

  int sender(int node) const {
    if (node == root_node_) return call_.root_rank;
    return policy_ == LeaderPolicy::kStatic ? layout_.first_rank(node)
                                            : last_of_node(call_, layout_, node).rank;
  }

  std::vector<Picoseconds> exits(const SimulationResult& nodes) const {
    std::vector<Picoseconds> exits;
    for (int rank = 0; rank < layout_.ranks(); ++rank) {
      exits.push_back(arrival(rank) + machine_.startup_ps + laying_down_);
    }
    for (int node = 0; node < layout_.nodes; ++node) {
      exits[static_cast<std::size_t>(sender(node))] =
          nodes.node_ends[static_cast<std::size_t>(node)];
    }
    if (!reduces_) {
      const auto others = static_cast<std::uint64_t>(layout_.ranks() - 1);
      exits[static_cast<std::size_t>(call_.root_rank)] +=
          time_of(call_.bytes * others, machine_.copy_ps_per_byte(1));
    }
    return exits;
  }

  const Machine& machine_;
  const RecordedCall& call_;
  LeaderPolicy policy_;
  Layout layout_;
  int root_node_;
  bool reduces_;
  Picoseconds laying_down_;
};

}  // namespace

PlayedCall play_to_root(const Machine& machine, const RecordedCall& call, LeaderPolicy policy) {
  return ToRoot(machine, call, policy).play();
}

PlayedCall play_scatter(const Machine& machine, const RecordedCall& call, LeaderPolicy policy,
                        int candidates) {
  const Layout layout = call.layout();
  const int root_node = layout.node_of(call.root_rank);
  const Leaders leaders = elect_leaders(layout, policy, call.root_rank, candidates, call.arrivals);
  const std::uint64_t segment = longest_message(layout, call.bytes);
  const SimulationResult nodes = simulate_nodes(
      machine, layout,
      {.make_plan =
           [&](int node) { return blocks_plan(layout, node, root_node, call.bytes, false); },
       .segment_bytes = segment,
       .entries = leaders.arrivals});
  PlayedCall played{.algorithm = "direct", .segment_bytes = segment, .exits = {}};
  for (int rank = 0; rank < layout.ranks(); ++rank) {
    const int on_node = layout.node_of(rank);
    const auto node = static_cast<std::size_t>(on_node);
    if (rank == call.root_rank) {
      played.exits.push_back(nodes.node_ends[node]);
      continue;
    }
    // The root's bytes are in staging as soon as it is there.
    const Picoseconds there =
        on_node == root_node ? leaders.arrivals[node] + machine.startup_ps : nodes.node_ends[node];
    const Picoseconds begin =
        std::max(call.arrivals[static_cast<std::size_t>(rank)] + machine.startup_ps, there);
    played.exits.push_back(begin +
                           time_of(call.bytes, machine.copy_ps_per_byte(layout.members(on_node))));
  }
  return played;
}

}  // namespace mpiactor::sim
