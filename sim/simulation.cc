#include "sim/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/event_queue.h"
#include "sim/op_table.h"
#include "sim/prefetcher.h"
#include "sim/waiting_lines.h"

namespace mpiactor::sim {
namespace {

enum EventKind : std::uint32_t {
  kArrival,     // subject: node
  kOpArrival,   // subject: operation; only where each begins for itself
  kSendsBegin,  // subject: node; only where its sends begin for themselves
  kDelivered,   // subject: receive
  kCombined,    // subject: receive
  kRetry,       // subject: send, whose rendezvous is over
  kInterface,   // subject: node, the first segment of whose line may have its turn
};

struct NodeState {
  Picoseconds arrived_at = 0;
  bool arrived = false;
  Picoseconds sends_from = 0;
  bool sends_begun = false;
  std::uint32_t unfinished_ops = 0;
  bool combining = false;
  Picoseconds copies_until = 0;
};

// A segment that its node's processor has handed over, but no interface has taken up.
struct Waiting {
  OpId op = kNone;
  std::uint64_t bytes = 0;
  Picoseconds ready = 0;
};

class Simulation {
 public:
  explicit Simulation(const SimulationInput& input)
      : input_(input),
        machine_(*input.machine),
        table_(static_cast<std::uint32_t>(input.shape.nodes()), input.segment_bytes),
        network_(machine_,
                 Topology(machine_.network, input.places.empty() ? input.shape : input.physical,
                          input.places),
                 static_cast<std::size_t>(input.shape.nodes()), input.segment_bytes),
        nodes_(static_cast<std::size_t>(input.shape.nodes())),
        for_interfaces_(nodes_.size()),
        for_memory_(nodes_.size()),
        window_(static_cast<std::uint32_t>(input.window)),
        after_link_(machine_.wire_latency_ps + machine_.receive_overhead_ps) {
    result_.node_ends.resize(nodes_.size());
    result_.receive_ends.resize(nodes_.size());
    if (ops_apart()) result_.op_ends.resize(nodes_.size());
    if (input.keep_taken) result_.taken.resize(nodes_.size());
  }

  SimulationResult run() {
    for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
      const Picoseconds entered = input_.arrivals.empty() ? 0 : input_.arrivals[node];
      queue_.push({entered + machine_.startup_ps, node, kArrival});
      if (sends_apart()) {
        queue_.push({input_.send_arrivals[node] + machine_.startup_ps, node, kSendsBegin});
      }
    }
    while (!queue_.empty()) {
      const Event event = queue_.pop([this](const Event& coming, int step) {
        if (coming.kind == kDelivered) prefetcher_.delivery(coming.subject, step);
      });
      now_ = event.time;
      handle(event);
      while (!progressed_.empty()) notify_progress();
    }
    return finish();
  }

 private:
  void handle(const Event& event) {
    switch (event.kind) {
      case kArrival:
        arrive(event.subject);
        break;
      case kOpArrival:
        begin_op(event.subject);
        break;
      case kSendsBegin:
        begin_sends(event.subject);
        break;
      case kDelivered:
        deliver(event.subject);
        break;
      case kCombined:
        finish_combining(event.subject);
        break;
      case kInterface:
        serve_line(event.subject);
        break;
      default:
        try_send(event.subject);
    }
  }

  void arrive(std::uint32_t node) {
    require_plan(node);
    NodeState& state = nodes_[node];
    state.arrived = true;
    state.arrived_at = now_;
    if (!sends_apart()) {
      state.sends_begun = true;
      state.sends_from = now_;
    }
    result_.node_ends[node] = std::max(result_.node_ends[node], now_);
    result_.receive_ends[node] = now_;
    const OpId first = table_.first_op(node);
    for (OpId id = first; id < first + table_.op_count(node); ++id) {
      if (ops_apart()) {
        queue_.push({entry_of(id), id, kOpArrival});
      } else {
        begin_op(id);
      }
    }
  }

  void begin_op(OpId id) {
    Op& op = table_.op(id);
    if (op.is_send) {
      try_send(id);
    } else {
      op.open = op.reduces || table_.detail(id).waits_count == 0;
      try_receive(id);
    }
  }

  bool sends_apart() const { return !input_.send_arrivals.empty(); }
  bool ops_apart() const { return !input_.op_arrivals.empty(); }

  // When it may begin, where its node has arrived.
  Picoseconds entry_of(OpId id) const {
    const Op& op = table_.op(id);
    if (ops_apart()) {
      return input_.op_arrivals[op.node][id - table_.first_op(op.node)] + machine_.startup_ps;
    }
    return op.is_send ? nodes_[op.node].sends_from : nodes_[op.node].arrived_at;
  }
  bool may_begin(OpId id) const { return !ops_apart() || entry_of(id) <= now_; }
  bool has_entered(OpId id) const { return nodes_[table_.op(id).node].arrived && may_begin(id); }

  void begin_sends(std::uint32_t node) {
    require_plan(node);
    nodes_[node].sends_begun = true;
    nodes_[node].sends_from = now_;
    result_.node_ends[node] = std::max(result_.node_ends[node], now_);
    const OpId first = table_.first_op(node);
    for (OpId id = first; id < first + table_.op_count(node); ++id) {
      if (table_.op(id).is_send) try_send(id);
    }
  }

  void require_plan(std::uint32_t node) {
    if (table_.has_node(node)) return;
    table_.add_node(node, input_.make_plan(static_cast<int>(node)));
    nodes_[node].unfinished_ops = table_.op_count(node);
    if (ops_apart()) result_.op_ends[node].resize(table_.op_count(node));
  }

  // Sends as many segments of `id` as may go now. Called whenever one of the reasons that can hold
  // a segment back may be gone.
  void try_send(OpId id) {
    while (may_send(id)) {
      Op& send = table_.op(id);
      hand_over(id, bytes_of_segment(id, send.started));
      ++send.started;
      if (send.follows == kNone) table_.detail(id).wait_cursor = 0;
      ++result_.transfers;
      // What comes next on its channel may start now.
      if (send.started == send.segments && table_.detail(id).next != kNone) {
        id = table_.detail(id).next;
      }
    }
  }

  // A segment takes its places on the network when its turn has come, not when it is handed over:
  // until then other nodes' messages go first. Only the overhead of an idle processor, which no
  // other segment can overtake, is not worth an event of its own.
  void hand_over(OpId id, std::uint64_t bytes) {
    const std::uint32_t node = table_.op(id).node;
    const Waiting segment{id, bytes, network_.hand_over(node, now_)};
    if (table_.op(id).link == Op::kMemory) {
      const Picoseconds there = network_.send_over_memory(node, bytes, segment.ready);
      queue_.push({there + machine_.receive_overhead_ps, table_.op(id).match, kDelivered});
      return;
    }
    if (for_interfaces_.empty(node)) {
      const Picoseconds free = network_.interface_free_at(node);
      if (free <= segment.ready && segment.ready <= now_ + machine_.send_overhead_ps) {
        transmit(segment);
        return;
      }
      queue_.push({std::max(free, segment.ready), node, kInterface});
    }
    for_interfaces_.append(node, segment);
  }

  // Of the line there is always one event to come.
  void serve_line(std::uint32_t node) {
    while (!for_interfaces_.empty(node)) {
      const Picoseconds turn =
          std::max(network_.interface_free_at(node), for_interfaces_.front(node).ready);
      if (turn > now_) {
        queue_.push({turn, node, kInterface});
        return;
      }
      transmit(for_interfaces_.pop(node));
    }
  }

  void transmit(const Waiting& segment) {
    const Op& send = table_.op(segment.op);
    const std::uint32_t to = table_.op(send.match).node;
    const Picoseconds ready = std::max(segment.ready, now_);
    const Picoseconds there =
        send.has_one_link()
            ? network_.send_over_link(send.node, to, send.link, segment.bytes, ready)
            : network_.send_over_route(send.node, to, segment.bytes, ready);
    queue_.push({there + after_link_, send.match, kDelivered});
  }

  std::uint64_t bytes_of_segment(OpId id, std::uint32_t segment) const {
    return segment + 1 < table_.op(id).segments ? input_.segment_bytes
                                                : table_.bytes_of_last_segment(id);
  }

  bool may_send(OpId id) {
    const Op& send = table_.op(id);
    if (send.started == send.segments || send.started - send.done >= window_) return false;
    if (send.match == kNone && !may_meet(id)) return false;
    return waits_hold(id, send.started) && receiver_takes(id);
  }

  // Only an arrived sender meets its receiver, and a channel's operations go one after the other.
  bool may_meet(OpId id) const {
    const OpId previous = table_.detail(id).previous;
    return nodes_[table_.op(id).node].sends_begun && may_begin(id) &&
           (previous == kNone || table_.op(previous).started == table_.op(previous).segments);
  }

  bool waits_hold(OpId id, std::uint32_t segment) {
    const Op& op = table_.op(id);
    if (op.follows != kNone) return table_.op(op.follows).done > segment;
    const std::span<const OpId> waits = table_.waits(id);
    std::uint32_t& cursor = table_.detail(id).wait_cursor;
    while (cursor < waits.size()) {
      if (!table_.satisfied(id, segment, waits[cursor])) return false;
      ++cursor;
    }
    return true;
  }

  bool receiver_takes(OpId id) {
    if (table_.op(id).match == kNone) meet(id);
    const Op& send = table_.op(id);
    if (send.pushed || send.open) return true;
    const OpId receive = send.match;
    if (!has_entered(receive)) return false;
    if (!table_.op(receive).reduces) {
      for (const OpId waited : table_.waits(receive)) {
        if (!table_.satisfied(receive, send.started, waited)) return false;
      }
    }
    return send.started > 0 || rendezvous_over(id);
  }

  // From the first moment when both sides are there; asks to be called again when it is not over.
  // Ranks of one place see each other without messages.
  bool rendezvous_over(OpId id) {
    Op& send = table_.op(id);
    const Picoseconds over = std::max(entry_of(id), entry_of(send.match)) +
                             (send.link == Op::kMemory ? 0 : machine_.rendezvous_ps);
    if (over > now_) {
      queue_.push({over, id, kRetry});
      return false;
    }
    send.open = table_.op(send.match).open;
    return true;
  }

  // Finds the other side and the way to it.
  void meet(OpId id) {
    const std::uint32_t peer = table_.detail(id).peer;
    require_plan(peer);
    table_.join(id);
    Op& send = table_.op(id);
    const int hops = network_.topology().hops(send.node, peer);
    if (hops == 1) {
      network_.topology().route(send.node, peer, &route_);
      send.link = route_.front() & Op::kManyLinks;
    }
    if (hops == 0) send.link = Op::kMemory;
    send.pushed = table_.detail(id).bytes <= machine_.eager_limit_bytes(hops);
  }

  void deliver(OpId id) {
    Op& receive = table_.op(id);
    ++receive.started;
    if (finishes_on_delivery(receive)) finish_segment(receive.match);
    if (receive.open && !receive.reduces) {
      complete_receive(id);
    } else {
      try_receive(id);
    }
  }

  // Takes or combines what has arrived, as far as the node's arrival and the receive's waits allow.
  void try_receive(OpId id) {
    const Op& receive = table_.op(id);
    if (!has_entered(id)) return;
    std::uint32_t& accepted = table_.detail(id).accepted;
    while (accepted < receive.started && waits_hold(id, accepted)) {
      ++accepted;
      if (receive.follows == kNone) table_.detail(id).wait_cursor = 0;
      if (receive.reduces) {
        combine(id);
      } else {
        complete_receive(id);
      }
    }
    // Its sender may have been waiting for this node's arrival or for this receive's waits.
    const bool holds_sender_back = receive.match != kNone && receive.started < receive.segments &&
                                   !table_.op(receive.match).open;
    if (holds_sender_back) try_send(receive.match);
  }

  // The memory of a node combines one segment at a time, of its receives in turn.
  void combine(OpId id) {
    const Op& receive = table_.op(id);
    const bool only_one = table_.detail(id).accepted == receive.done + 1;
    if (only_one) for_memory_.append(receive.node, id);
    if (!nodes_[receive.node].combining) start_combining(receive.node);
  }

  void start_combining(std::uint32_t node) {
    nodes_[node].combining = true;
    const OpId id = for_memory_.pop(node);
    const auto bytes = static_cast<double>(bytes_of_segment(id, table_.op(id).done));
    const auto time = static_cast<Picoseconds>(std::llround(bytes * 1e6 / machine_.reduce_mbps));
    queue_.push({now_ + time, id, kCombined});
  }

  void finish_combining(OpId id) {
    const std::uint32_t node = table_.op(id).node;
    nodes_[node].combining = false;
    complete_receive(id);
    if (table_.detail(id).accepted > table_.op(id).done) for_memory_.append(node, id);
    if (!for_memory_.empty(node)) start_combining(node);
  }

  void complete_receive(OpId id) {
    const Op& receive = table_.op(id);
    if (input_.keep_taken) {
      result_.taken[receive.node].push_back({now_, bytes_of_segment(id, receive.done)});
    }
    if (!input_.copy_ps_per_byte.empty()) {
      NodeState& node = nodes_[receive.node];
      const auto bytes = static_cast<double>(bytes_of_segment(id, receive.done));
      node.copies_until =
          std::max(node.copies_until, now_) +
          static_cast<Picoseconds>(std::llround(bytes * input_.copy_ps_per_byte[receive.node]));
    }
    finish_segment(id);
    if (!finishes_on_delivery(receive)) finish_segment(receive.match);
  }

  // For the sender. Segments to be combined are taken into memory of their own.
  bool finishes_on_delivery(const Op& receive) const {
    return receive.reduces || table_.op(receive.match).pushed;
  }

  void finish_segment(OpId id) {
    Op& op = table_.op(id);
    ++op.done;
    progressed_.push_back(id);
    if (op.done != op.segments) return;
    if (ops_apart()) result_.op_ends[op.node][id - table_.first_op(op.node)] = now_;
    if (!op.is_send) result_.receive_ends[op.node] = now_;
    if (--nodes_[op.node].unfinished_ops == 0) result_.node_ends[op.node] = now_;
  }

  // A list instead of recursion: a node may have thousands of receives that wait in a row.
  void notify_progress() {
    notifying_.swap(progressed_);
    for (const OpId id : notifying_) {
      if (table_.op(id).is_send) try_send(id);
      // Asked anew every time: the plan of a node that is met for the first time may move the list.
      const std::uint32_t dependents = table_.dependents(id).size();
      for (std::uint32_t k = 0; k < dependents; ++k) {
        const OpId dependent = table_.dependents(id)[k];
        if (table_.op(dependent).is_send) {
          try_send(dependent);
        } else {
          try_receive(dependent);
        }
      }
    }
    notifying_.clear();
  }

  SimulationResult finish() {
    for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
      if (nodes_[node].unfinished_ops > 0) fail_stuck(node);
      result_.end = std::max(result_.end, result_.node_ends[node]);
      if (!input_.copy_ps_per_byte.empty())
        result_.copies_ends.push_back(nodes_[node].copies_until);
    }
    result_.links = network_.link_statistics(result_.end);
    return std::move(result_);
  }

  [[noreturn]] void fail_stuck(std::uint32_t node) const {
    OpId id = table_.first_op(node);
    while (table_.op(id).done == table_.op(id).segments) ++id;
    const Op& op = table_.op(id);
    throw PlanError(fmt::format(
        "the plans do not end: node {}, operation {} ({} node {}, bytes {} to {}) has finished {} "
        "of {} segments",
        node, id - table_.first_op(node), op.is_send != 0 ? "send to" : "receive from",
        table_.detail(id).peer, table_.detail(id).offset, table_.detail(id).end(), op.done,
        op.segments));
  }

  const SimulationInput& input_;
  const Machine& machine_;
  OpTable table_;
  Network network_;
  EventQueue queue_;
  std::vector<NodeState> nodes_;
  WaitingLines<Waiting> for_interfaces_;
  WaitingLines<OpId> for_memory_;  // receives with segments to combine
  DeliveryPrefetcher<WaitingLines<Waiting>> prefetcher_{table_, network_, for_interfaces_};
  std::uint32_t window_;
  Picoseconds
      after_link_;  // from the last byte's arrival at the interface to the receiver's taking
  Picoseconds now_ = 0;
  std::vector<OpId> progressed_;
  std::vector<OpId> notifying_;
  std::vector<LinkId> route_;  // scratch
  SimulationResult result_;
};

}  // namespace

SimulationResult simulate(const SimulationInput& input) { return Simulation(input).run(); }

}  // namespace mpiactor::sim
