// Allgather and alltoall between nodes: every node has something for every other one.
#include <algorithm>

#include "sim/direct_calls.h"

namespace mpiactor::sim {
namespace {

class Exchange {
 public:
  Exchange(const Machine& machine, const RecordedCall& call)
      : machine_(machine),
        call_(call),
        layout_(call.layout()),
        all_to_all_(call.operation == RecordedOperation::kAlltoall),
        ranks_(static_cast<std::uint64_t>(layout_.ranks())),
        begin_(static_cast<std::size_t>(layout_.ranks()) + 1) {
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      begin_[rank + 1] = begin_[rank] + call.block(static_cast<int>(rank));
    }
  }

  PlayedCall by_leaders() const {
    std::vector<Picoseconds> entries;
    for (int node = 0; node < layout_.nodes; ++node) {
      entries.push_back(complete(node));
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
      const Picoseconds until = leader_waits_until(call_, layout_, node);
      const LastRank last = last_of_node(call_, layout_, node);
      receiving.push_back(std::min(last.arrival, until));
      sending.push_back(complete(node));
      senders.push_back(last.arrival <= until ? layout_.first_rank(node) : last.rank);
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
  std::uint64_t whole() const { return begin_.back() * (all_to_all_ ? ranks_ : 1); }
  // What the node gives is in staging.
  Picoseconds complete(int node) const {
    if (!all_to_all_) return laid_down(machine_, call_, layout_, node);
    return last_of_node(call_, layout_, node).arrival +
           time_of(call_.bytes * ranks_, machine_.copy_ps_per_byte(1));
  }
  // From staging, when everything is there.
  Picoseconds taking(int node) const {
    return time_of(begin_.back(), machine_.copy_ps_per_byte(layout_.members(node)));
  }
  // An allgather's.
  inter::ByteRange of_node(int node) const {
    const std::uint64_t begin = begin_[static_cast<std::size_t>(layout_.first_rank(node))];
    return {begin, begin_[static_cast<std::size_t>(layout_.first_rank(node + 1))] - begin};
  }
  bool nodes_give_equally() const {
    for (int node = 0; node < layout_.nodes; ++node) {
      if (all_to_all_ ? layout_.members(node) != layout_.members(0)
                      : of_node(node).bytes != of_node(0).bytes) {
        return false;
      }
    }
    return true;
  }

  inter::ByteRange between(int from, int to) const {
    if (!all_to_all_) return of_node(from);
    const auto size = [this](int node) {
      return static_cast<std::uint64_t>(layout_.members(node));
    };
    const auto first = static_cast<std::uint64_t>(layout_.first_rank(from));
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

  // What fixed leaders run. Plans are for nodes that give equally; others send directly.
  SimulationResult run_plan(const std::vector<Picoseconds>& entries, PlayedCall* played) const {
    const auto members = static_cast<std::uint64_t>(layout_.members(0));
    const inter::Selection selection = select_plan(
        call_, all_to_all_ ? inter::Collective::kAlltoall : inter::Collective::kAllgather,
        all_to_all_ ? call_.bytes * members * members : of_node(0).bytes);
    if (!nodes_give_equally()) {
      played->algorithm = "direct";
      played->segment_bytes = whole();
      return simulate_direct(machine_, layout_, direct(entries, {}));
    }
    played->algorithm = selection.algorithm->name;
    played->segment_bytes = all_to_all_ ? whole() : selection.segment_bytes;
    return simulate_plan(machine_, layout_,
                         {.algorithm = selection.algorithm,
                          .bytes = whole(),
                          .segment_bytes = played->segment_bytes,
                          .entries = entries});
  }

  const Machine& machine_;
  const RecordedCall& call_;
  Layout layout_;
  bool all_to_all_;
  std::uint64_t ranks_;
  std::vector<std::uint64_t> begin_;  // of the ranks' blocks
};

}  // namespace

PlayedCall play_exchange(const Machine& machine, const RecordedCall& call, LeaderPolicy policy) {
  const Exchange exchange(machine, call);
  return policy == LeaderPolicy::kStatic ? exchange.by_leaders() : exchange.by_last();
}

}  // namespace mpiactor::sim
