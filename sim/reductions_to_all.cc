// Barrier, allreduce and reduce-scatter between nodes: every node sends its vector to all others,
// whole or in shares, or fixed leaders run a plan.
#include <algorithm>

#include "inter/ways.h"
#include "sim/direct_calls.h"

namespace mpiactor::sim {
namespace {

class ReductionToAll {
 public:
  ReductionToAll(const Machine& machine, const RecordedCall& call, LeaderPolicy policy)
      : machine_(machine),
        call_(call),
        policy_(policy),
        layout_(call.layout()),
        scatters_(call.operation == RecordedOperation::kReduceScatterBlock),
        bytes_(std::max<std::uint64_t>(call.bytes, 1)),  // a barrier's
        others_(static_cast<std::uint64_t>(layout_.nodes - 1)) {
    for (int node = 0; node < layout_.nodes; ++node) {
      leader_arrivals_.push_back(call.arrivals[static_cast<std::size_t>(layout_.first_rank(node))]);
      complete_.push_back(complete(node));
    }
  }

  PlayedCall play() const {
    if (in_one_round()) return by_whole_vectors();
    if (policy_ == LeaderPolicy::kCompetitive) return by_shares();
    return scatters_ ? by_leaders_shares() : by_leaders_plan();
  }

 private:
  Picoseconds combining(std::uint64_t bytes) const {
    return time_of(bytes, 1e6 / machine_.reduce_mbps);
  }
  // The vectors of the node's ranks are combined.
  Picoseconds complete(int node) const {
    Picoseconds last = last_of_node(call_, layout_, node).arrival;
    last += time_of(bytes_, machine_.copy_ps_per_byte(1));
    return last + combining(bytes_ * static_cast<std::uint64_t>(layout_.members(node) - 1));
  }
  Picoseconds complete_at(std::size_t node) const { return complete_[node] + machine_.startup_ps; }
  // Node `node`'s share of the vector. Two nodes rather swap their vectors.
  inter::ByteRange share(int node) const {
    if (!scatters_ && layout_.nodes == 2) return {0, bytes_};
    const auto begin = [this](int at) {
      return scatters_ ? bytes_ * static_cast<std::uint64_t>(layout_.first_rank(at)) /
                             static_cast<std::uint64_t>(layout_.ranks())
                       : bytes_ * static_cast<std::uint64_t>(at) /
                             static_cast<std::uint64_t>(layout_.nodes);
    };
    return {begin(node), begin(node + 1) - begin(node)};
  }
  // `sending`: when nodes begin to send. Leaders receive from their arrival on, or, where they
  // combine what comes, likewise.
  SimulationResult send(const BetweenNodes& between, const std::vector<Picoseconds>& sending,
                        bool combines = false) const {
    DirectInput direct{.between = between,
                       .combines = combines,
                       .segment_bytes = bytes_,
                       .entries = combines ? sending : leader_arrivals_,
                       .send_entries = {}};
    if (!combines) direct.send_entries = sending;
    return simulate_direct(machine_, layout_, direct);
  }
  // `there`: when each node has the result, of which its ranks then take what is theirs all at
  // once; `busy`: when each rank's sends are done, if it has any.
  PlayedCall played(const std::vector<Picoseconds>& there,
                    const std::vector<Picoseconds>& busy) const {
    PlayedCall played{.algorithm = "direct", .segment_bytes = bytes_, .exits = {}};
    for (std::size_t rank = 0; rank < busy.size(); ++rank) {
      const int on_node = layout_.node_of(static_cast<int>(rank));
      const Picoseconds result = there[static_cast<std::size_t>(on_node)];
      // In one round sends are waited for in the end.
      played.exits.push_back(in_one_round() ? std::max(result + taking(on_node), busy[rank])
                                            : std::max(result, busy[rank]) + taking(on_node));
    }
    return played;
  }
  // A reduce-scatter's members combine what they take.
  Picoseconds taking(int node) const {
    if (scatters_) return combining(share(node).bytes * others_);
    return time_of(bytes_, machine_.copy_ps_per_byte(layout_.members(node)));
  }

  bool in_one_round() const {
    return policy_ == LeaderPolicy::kCompetitive && !scatters_ &&
           way_of(call_, false) == inter::Way::kDirect;
  }
  PlayedCall by_whole_vectors() const;
  PlayedCall by_shares() const;
  PlayedCall by_leaders_shares() const;
  PlayedCall by_leaders_plan() const;

  const Machine& machine_;
  const RecordedCall& call_;
  LeaderPolicy policy_;
  Layout layout_;
  bool scatters_;
  std::uint64_t bytes_;
  std::uint64_t others_;
  std::vector<Picoseconds> leader_arrivals_;  // of nodes
  std::vector<Picoseconds> complete_;
};

PlayedCall ReductionToAll::by_whole_vectors() const {
  const SimulationResult nodes = send(
      [this](int from, int) {
        return inter::ByteRange{static_cast<std::uint64_t>(from) * bytes_, bytes_};
      },
      complete_);
  std::vector<Picoseconds> there;
  std::vector<Picoseconds> busy(call_.arrivals.size());
  for (int node = 0; node < layout_.nodes; ++node) {
    const auto at = static_cast<std::size_t>(node);
    there.push_back(std::max(nodes.receive_ends[at], complete_at(at)) +
                    combining(bytes_ * others_));
    const LastRank last = last_of_node(call_, layout_, node);
    busy[static_cast<std::size_t>(last.rank)] = nodes.node_ends[at];
  }
  return played(there, busy);
}

// Contributions to shares, and, but for a reduce-scatter, the combined shares back, from whoever
// brings the last contribution.
PlayedCall ReductionToAll::by_shares() const {
  const SimulationResult contributions = send([this](int, int to) { return share(to); }, complete_);
  std::vector<Picoseconds> there;
  std::vector<Picoseconds> giving;
  std::vector<std::size_t> givers;
  std::vector<Picoseconds> busy(call_.arrivals.size());
  for (int node = 0; node < layout_.nodes; ++node) {
    const auto at = static_cast<std::size_t>(node);
    const auto leader = static_cast<std::size_t>(layout_.first_rank(node));
    const LastRank last = last_of_node(call_, layout_, node);
    const bool leader_sends = layout_.nodes > inter::kImpatientShareNodes &&
                              last.arrival <= leader_waits_until(call_, layout_, node);
    const std::size_t sender = leader_sends ? leader : static_cast<std::size_t>(last.rank);
    busy[sender] = contributions.node_ends[at];
    givers.push_back(contributions.receive_ends[at] > complete_at(at) ? leader : sender);
    there.push_back(std::max(contributions.receive_ends[at], complete_at(at)));
    if (!scatters_) there.back() += combining(share(node).bytes * others_);
    giving.push_back(there.back() - machine_.startup_ps);
  }
  if (scatters_ || layout_.nodes == 2) return played(there, busy);
  const SimulationResult shares = send([this](int from, int) { return share(from); }, giving);
  for (std::size_t node = 0; node < there.size(); ++node) {
    there[node] = std::max(there[node], shares.receive_ends[node]);
    busy[givers[node]] = std::max(busy[givers[node]], shares.node_ends[node]);
  }
  return played(there, busy);
}

// Of a reduce-scatter: leaders send shares of their nodes' vectors, and combine what comes.
PlayedCall ReductionToAll::by_leaders_shares() const {
  const SimulationResult nodes = send([this](int, int to) { return share(to); }, complete_, true);
  PlayedCall played{.algorithm = "direct", .segment_bytes = bytes_, .exits = {}};
  for (int rank = 0; rank < layout_.ranks(); ++rank) {
    const int node = layout_.node_of(rank);
    const std::uint64_t own = bytes_ / static_cast<std::uint64_t>(layout_.ranks());
    played.exits.push_back(nodes.node_ends[static_cast<std::size_t>(node)] +
                           time_of(own, machine_.copy_ps_per_byte(layout_.members(node))));
  }
  return played;
}

PlayedCall ReductionToAll::by_leaders_plan() const {
  const inter::Selection selection = select_plan(call_, inter::Collective::kAllreduce, bytes_);
  const SimulationResult nodes = simulate_plan(machine_, layout_,
                                               {.algorithm = selection.algorithm,
                                                .bytes = bytes_,
                                                .segment_bytes = selection.segment_bytes,
                                                .entries = complete_});
  PlayedCall result = played(nodes.node_ends, std::vector<Picoseconds>(call_.arrivals.size()));
  result.algorithm = selection.algorithm->name;
  result.segment_bytes = selection.segment_bytes;
  return result;
}

}  // namespace

PlayedCall play_reduction_to_all(const Machine& machine, const RecordedCall& call,
                                 LeaderPolicy policy) {
  return ReductionToAll(machine, call, policy).play();
}

}  // namespace mpiactor::sim
