// Collectives in which every rank needs what all ranks give, between nodes: barrier, allreduce,
// reduce-scatter, allgather, alltoall. Nodes run a plan of the registry.
#include <algorithm>
#include <utility>

#include "inter/exchange_plan.h"
#include "inter/split_plan.h"
#include "inter/ways.h"
#include "sim/calls_between_nodes.h"

namespace mpiactor::sim {
namespace {

using inter::Collective;

Collective collective_of(RecordedOperation operation) {
  switch (operation) {
    case RecordedOperation::kAllgather:
    case RecordedOperation::kAllgatherv:
      return Collective::kAllgather;
    case RecordedOperation::kAlltoall:
      return Collective::kAlltoall;
    case RecordedOperation::kReduceScatterBlock:
      return Collective::kReduceScatter;
    default:
      return Collective::kAllreduce;
  }
}

// What nodes give; of a reduction: what of the vector their ranks have a part in.
class NodeBytes {
 public:
  NodeBytes(const RecordedCall& call, const Layout& layout)
      : collective_(collective_of(call.operation)), layout_(layout) {
    const auto ranks = static_cast<std::uint64_t>(layout.ranks());
    const std::uint64_t vector = std::max<std::uint64_t>(call.bytes, 1);  // a barrier's
    std::vector<std::uint64_t> begin(1);                                  // of the ranks' parts
    for (std::uint64_t rank = 0; rank < ranks; ++rank) {
      begin.push_back(reduces() ? vector * (rank + 1) / ranks
                                : begin.back() + call.block(static_cast<int>(rank)));
    }
    for (int node = 0; node <= layout.nodes; ++node) {
      cuts_.push_back(begin[static_cast<std::size_t>(layout.first_rank(node))]);
    }
  }

  Collective collective() const { return collective_; }
  bool reduces() const {
    return collective_ == Collective::kAllreduce || collective_ == Collective::kReduceScatter;
  }
  std::uint64_t of_node(int node) const {
    return cuts_[static_cast<std::size_t>(node) + 1] - cuts_[static_cast<std::size_t>(node)];
  }
  bool are_equal() const {
    for (int node = 1; node < layout_.nodes; ++node) {
      if (of_node(node) != of_node(0)) return false;
    }
    return true;
  }
  // The vector; what a rank takes in an exchange.
  std::uint64_t of_all() const { return cuts_.back(); }
  // As PlanInput::bytes.
  std::uint64_t of_plan() const {
    return collective_ == Collective::kAlltoall
               ? of_all() * static_cast<std::uint64_t>(layout_.ranks())
               : of_all();
  }
  // As inter::select() counts.
  std::uint64_t of_message() const {
    return collective_ == Collective::kAllreduce ? of_all() : of_node_to(0, 0);
  }

  inter::Plan plan(const inter::Algorithm& algorithm, int node) const {
    inter::PlanInput input;
    input.shape = inter::Shape::line(layout_.nodes);
    input.node = node;
    input.bytes = of_plan();
    std::vector<inter::ByteRange> gives;
    std::vector<inter::ByteRange> takes;
    if (!algorithm.takes_sizes || collective_ == Collective::kAllreduce) {
      // Nodes' parts are equal, or as the algorithm cuts them.
    } else if (collective_ == Collective::kAlltoall) {
      for (int other = 0; other < layout_.nodes; ++other) {
        const auto at = static_cast<std::uint64_t>(other) * of_plan();
        gives.push_back({at, of_node_to(node, other)});
        takes.push_back({inter::kTakenBegin + at, of_node_to(other, node)});
      }
      input.gives = gives;
      input.takes = takes;
    } else {
      input.cuts = cuts_;
    }
    return algorithm.make_plan(input);
  }

 private:
  std::uint64_t of_node_to(int from, int to) const {
    return collective_ == Collective::kAlltoall
               ? of_node(to) * static_cast<std::uint64_t>(layout_.members(from))
               : of_node(from);
  }

  Collective collective_;
  const Layout& layout_;
  std::vector<std::uint64_t> cuts_;  // where nodes' parts begin, and the end
};

// What nodes run.
struct NodesPlan {
  const inter::Algorithm* algorithm = nullptr;
  std::uint64_t segment_bytes = 0;
  std::string name;         // in the results
  bool is_patient = false;  // leaders first wait for their nodes' data
};

// Plans that pass blocks on are for nodes that give equally, and there are none for a
// reduce-scatter.
NodesPlan choose_plan(const RecordedCall& call, LeaderPolicy policy, const NodeBytes& bytes) {
  const Collective collective = bytes.collective();
  const auto direct = [&](const char* name, bool is_patient) {
    return NodesPlan{inter::find_algorithm(collective, name), bytes.of_plan(), "direct",
                     is_patient};
  };
  const auto nodes = static_cast<int>(call.node_ranks.size());
  const bool many = nodes > inter::kImpatientShareNodes;
  if (collective == Collective::kReduceScatter) return direct("linear", many);
  if (policy == LeaderPolicy::kStatic) {
    const inter::Selection selection = select_plan(call, collective, bytes.of_message());
    const bool cut = collective != Collective::kAlltoall;
    if (bytes.reduces() || bytes.are_equal()) {
      return {selection.algorithm, cut ? selection.segment_bytes : bytes.of_plan(),
              selection.algorithm->name};
    }
  }
  if (collective != Collective::kAllreduce) return direct("linear", true);
  // Two nodes rather swap their vectors.
  return nodes > 2 && way_of(call, false) == inter::Way::kShares ? direct("shares", many)
                                                                 : direct("linear", false);
}

// Of a node that keeps what it has to combine: a slot for each node behind the vector and the
// result.
inter::Plan in_slots(const inter::Plan& plan, std::uint64_t bytes) {
  inter::Plan placed = inter::in_slots(
      plan, bytes, [bytes](int node) { return bytes * static_cast<std::uint64_t>(2 + node); });
  placed.layout = inter::BufferLayout::kOwnBuffers;
  return placed;
}

// A plan whose rest only receives, as two processes of a node run it.
struct PlanRounds {
  inter::Plan first;   // what is sent of the node's own data, and what comes of others'
  inter::Plan second;  // what is sent, and comes, of what was made of that
};

PlanRounds rounds_of(const inter::Plan& plan) {
  inter::SplitPlan split = inter::split_plan(plan);
  inter::Rounds rounds = inter::find_rounds(split).value();
  PlanRounds result{std::move(split.first), std::move(rounds.sends)};
  for (std::size_t i = 0; i < rounds.receives.ops.size(); ++i) {
    (rounds.is_first[i] ? result.first : result.second).add(rounds.receives.ops[i]);
  }
  return result;
}

std::uint64_t combined_bytes(const inter::Plan& plan) {
  std::uint64_t bytes = 0;
  for (const inter::PlanOp& op : plan.ops) {
    if (op.kind == inter::OpKind::kReceiveReduce) bytes += op.bytes;
  }
  return bytes;
}

class CallWithoutRoot {
 public:
  CallWithoutRoot(const Machine& machine, const RecordedCall& call, LeaderPolicy policy)
      : machine_(machine),
        call_(call),
        layout_(call.layout()),
        bytes_(call, layout_),
        plan_(choose_plan(call, policy, bytes_)) {
    for (int node = 0; node < layout_.nodes; ++node) complete_.push_back(complete_at(node));
  }

  PlayedCall by_leaders() const;
  PlayedCall by_whoever_completes() const;

 private:
  Picoseconds combining_of(std::uint64_t bytes) const {
    return time_of(bytes, 1e6 / machine_.reduce_mbps);
  }
  Picoseconds complete_at(int node) const;
  // By all ranks of the node at once, of what is theirs.
  Picoseconds copying(int node) const {
    const std::uint64_t bytes = bytes_.collective() == Collective::kReduceScatter
                                    ? bytes_.of_all() / static_cast<std::uint64_t>(layout_.ranks())
                                    : bytes_.of_all();
    return time_of(bytes, machine_.copy_ps_per_byte(layout_.members(node)));
  }

  const Machine& machine_;
  const RecordedCall& call_;
  Layout layout_;
  NodeBytes bytes_;
  NodesPlan plan_;
  std::vector<Picoseconds> complete_;  // when nodes' data are
};

// The node's data lie in staging, combined where that is due.
Picoseconds CallWithoutRoot::complete_at(int node) const {
  if (bytes_.collective() == Collective::kAllgather) {
    return laid_down(machine_, call_, layout_, node);
  }
  const Picoseconds laid_down = last_of_node(call_, layout_, node).arrival +
                                time_of(bytes_.of_all(), machine_.copy_ps_per_byte(1));
  const auto followers = static_cast<std::uint64_t>(layout_.members(node) - 1);
  return laid_down + (bytes_.reduces() ? combining_of(bytes_.of_all() * followers) : 0);
}

PlayedCall CallWithoutRoot::by_leaders() const {
  const SimulationResult nodes =
      simulate_nodes(machine_, layout_,
                     {.make_plan = [this](int node) { return bytes_.plan(*plan_.algorithm, node); },
                      .segment_bytes = plan_.segment_bytes,
                      .entries = complete_});
  PlayedCall played{.algorithm = plan_.name, .segment_bytes = plan_.segment_bytes, .exits = {}};
  for (int rank = 0; rank < layout_.ranks(); ++rank) {
    const int node = layout_.node_of(rank);
    played.exits.push_back(nodes.node_ends[static_cast<std::size_t>(node)] + copying(node));
  }
  return played;
}

PlayedCall CallWithoutRoot::by_whoever_completes() const {
  std::vector<Picoseconds> receiving;
  std::vector<int> senders;
  std::vector<inter::Plan> first;
  std::vector<inter::Plan> second;
  std::vector<Picoseconds> combining;  // so long nodes combine what has come in the first round
  for (int node = 0; node < layout_.nodes; ++node) {
    const int leader = layout_.first_rank(node);
    const Picoseconds until = plan_.is_patient ? leader_waits_until(call_, layout_, node)
                                               : call_.arrivals[static_cast<std::size_t>(leader)];
    const LastRank last = last_of_node(call_, layout_, node);
    receiving.push_back(std::min(last.arrival, until));
    senders.push_back(last.arrival <= until ? leader : last.rank);
    const inter::Plan plan = bytes_.plan(*plan_.algorithm, node);
    combining.push_back(combining_of(combined_bytes(plan)));
    PlanRounds rounds = rounds_of(bytes_.reduces() ? in_slots(plan, bytes_.of_plan()) : plan);
    first.push_back(std::move(rounds.first));
    second.push_back(std::move(rounds.second));
  }

  std::vector<Picoseconds> sent(call_.arrivals.size());  // by each rank
  std::vector<Picoseconds> there;                        // what the ranks of a node take
  const auto play_round = [&](const std::vector<inter::Plan>& plans,
                              std::span<const Picoseconds> giving) {
    const SimulationResult round = simulate_nodes(
        machine_, layout_,
        {.make_plan = [&](int node) { return plans[static_cast<std::size_t>(node)]; },
         .segment_bytes = plan_.segment_bytes,
         .entries = receiving,
         .send_entries = giving});
    there.clear();
    for (std::size_t node = 0; node < plans.size(); ++node) {
      Picoseconds& sender = sent[static_cast<std::size_t>(senders[node])];
      sender = std::max(sender, round.node_ends[node]);
      there.push_back(std::max(round.receive_ends[node], giving[node] + machine_.startup_ps));
      if (round.receive_ends[node] == there.back()) {
        senders[node] = layout_.first_rank(static_cast<int>(node));
      }
    }
  };
  play_round(first, complete_);
  if (bytes_.collective() == Collective::kAllreduce) {
    for (std::size_t node = 0; node < there.size(); ++node) there[node] += combining[node];
  }
  if (!second.front().ops.empty()) {
    std::vector<Picoseconds> giving;
    for (const Picoseconds combined : there) giving.push_back(combined - machine_.startup_ps);
    play_round(second, giving);
  }

  PlayedCall played{.algorithm = plan_.name, .segment_bytes = plan_.segment_bytes, .exits = {}};
  for (std::size_t rank = 0; rank < sent.size(); ++rank) {
    const int on_node = layout_.node_of(static_cast<int>(rank));
    const auto node = static_cast<std::size_t>(on_node);
    // Of a reduce-scatter each rank combines what is its own.
    const bool combines = bytes_.collective() == Collective::kReduceScatter;
    played.exits.push_back(std::max(there[node], sent[rank]) +
                           (combines ? combining[node] : copying(on_node)));
  }
  return played;
}

}  // namespace

PlayedCall play_without_root(const Machine& machine, const RecordedCall& call,
                             LeaderPolicy policy) {
  const CallWithoutRoot played(machine, call, policy);
  return policy == LeaderPolicy::kStatic ? played.by_leaders() : played.by_whoever_completes();
}

}  // namespace mpiactor::sim
