// Allgather and alltoall between nodes: every node has something for every other one.
#include <algorithm>

#include "inter/select.h"
#include "inter/ways.h"
#include "sim/direct_calls.h"

namespace mpiactor::sim {
namespace {

constexpr Picoseconds kPatience = inter::kHomePatienceUs * kPicosecondsPerMicrosecond;

class Exchange {
 public:
  Exchange(const Machine& machine, const RecordedCall& call)
      : machine_(machine),
        call_(call),
        layout_(call.layout()),
        all_to_all_(call.operation == RecordedOperation::kAlltoall),
        ranks_(static_cast<std::uint64_t>(layout_.ranks())),
        laying_down_(
            time_of(call.bytes * (all_to_all_ ? ranks_ : 1), machine.copy_ps_per_byte(1))) {}

  PlayedCall by_homes() const {
    std::vector<Picoseconds> entries;
    for (int node = 0; node < layout_.nodes; ++node) {
      entries.push_back(last_of_node(call_, layout_, node).arrival + laying_down_);
    }
    PlayedCall played;
    const SimulationResult nodes = run_plan(entries, &played);
    for (int rank = 0; rank < layout_.ranks(); ++rank) {
      const int node = layout_.node_of(rank);
      played.exits.push_back(nodes.node_ends[static_cast<std::size_t>(node)] + taking(node));
    }
    return played;
  }

  PlayedCall by_last() const {
    std::vector<Picoseconds> receiving;
    std::vector<Picoseconds> sending;
    std::vector<int> senders;
    for (int node = 0; node < layout_.nodes; ++node) {
      const int home = layout_.first_rank(node);
      const Picoseconds until = call_.arrivals[static_cast<std::size_t>(home)] + kPatience;
      const LastRank last = last_of_node(call_, layout_, node);
      receiving.push_back(std::min(last.arrival, until));
      sending.push_back(last.arrival + laying_down_);
      senders.push_back(last.arrival <= until ? home : last.rank);
    }
    const SimulationResult nodes = simulate_direct(machine_, layout_, direct(receiving, sending));
    PlayedCall played{.algorithm = "direct", .segment_bytes = whole(), .exits = {}};
    for (int rank = 0; rank < layout_.ranks(); ++rank) {
      const int on_node = layout_.node_of(rank);
      const auto node = static_cast<std::size_t>(on_node);
      Picoseconds there = std::max(nodes.receive_ends[node], sending[node] + machine_.startup_ps);
      if (senders[node] == rank) there = std::max(there, nodes.node_ends[node]);
      played.exits.push_back(there + taking(on_node));
    }
    return played;
  }

 private:
  // Of a plan: everything that nodes give each other.
  std::uint64_t whole() const { return call_.bytes * ranks_ * (all_to_all_ ? ranks_ : 1); }
  // From staging, when everything is there.
  Picoseconds taking(int node) const {
    return time_of(call_.bytes * ranks_, machine_.copy_ps_per_byte(layout_.members(node)));
  }

  inter::ByteRange between(int from, int to) const {
    const auto size = [this](int node) {
      return static_cast<std::uint64_t>(layout_.members(node));
    };
    const auto first = static_cast<std::uint64_t>(layout_.first_rank(from));
    if (!all_to_all_) return {first * call_.bytes, size(from) * call_.bytes};
    const auto column = static_cast<std::uint64_t>(layout_.first_rank(to));
    return {(first * ranks_ + size(from) * column) * call_.bytes,
            size(from) * size(to) * call_.bytes};
  }

  DirectInput direct(std::span<const Picoseconds> entries,
                     std::span<const Picoseconds> send_entries) const {
    return {.between = [this](int from, int to) { return between(from, to); },
            .combines = false,
            .segment_bytes = whole(),
            .entries = entries,
            .send_entries = send_entries};
  }

  inter::Selection select() const {
    const auto collective =
        all_to_all_ ? inter::Collective::kAlltoall : inter::Collective::kAllgather;
    const auto members = static_cast<std::uint64_t>(layout_.members(0));
    const bool chosen = call_.algorithm != "auto" && call_.algorithm != "direct";
    if (chosen && !inter::find_algorithm(collective, call_.algorithm)) {
      throw InputError("algorithm is '" + call_.algorithm + "'; allowed: auto, direct, " +
                       inter::algorithm_names(collective, ", "));
    }
    return inter::select(collective, inter::Shape::line(layout_.nodes),
                         call_.bytes * members * (all_to_all_ ? members : 1),
                         chosen ? call_.algorithm : "auto", 0, {});
  }

  // What homes run. Plans are for nodes that give equally; others send directly.
  SimulationResult run_plan(const std::vector<Picoseconds>& entries, PlayedCall* played) const {
    const inter::Selection selection = select();
    if (!layout_.first_ranks.empty()) {
      played->algorithm = "direct";
      played->segment_bytes = whole();
      return simulate_direct(machine_, layout_, direct(entries, {}));
    }
    played->algorithm = selection.algorithm->name;
    played->segment_bytes = all_to_all_ ? whole() : selection.segment_bytes;
    inter::PlanInput plan;
    plan.shape = inter::Shape::line(layout_.nodes);
    plan.bytes = whole();
    SimulationInput input;
    input.machine = &machine_;
    input.shape = plan.shape;
    input.segment_bytes = played->segment_bytes;
    input.window = machine_.window;
    input.arrivals = entries;
    input.make_plan = [&selection, plan](int node) mutable {
      plan.node = node;
      return selection.algorithm->make_plan(plan);
    };
    return simulate(input);
  }

  const Machine& machine_;
  const RecordedCall& call_;
  Layout layout_;
  bool all_to_all_;
  std::uint64_t ranks_;
  Picoseconds laying_down_;
};

}  // namespace

PlayedCall play_exchange(const Machine& machine, const RecordedCall& call, LeaderPolicy policy) {
  const Exchange exchange(machine, call);
  return policy == LeaderPolicy::kStatic ? exchange.by_homes() : exchange.by_last();
}

}  // namespace mpiactor::sim
