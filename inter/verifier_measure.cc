// What the plans cost: depth, rounds, bytes per node, load of the links.
#include <algorithm>
#include <set>

#include "inter/routes.h"
#include "inter/verifier_parts.h"

namespace mpiactor::inter::verifier {
namespace {

// What takes time (a transfer, one step) and what waits (a transfer; after it the combining or
// placing of what was taken ahead, which takes none), with edges from each to what cannot go before
// it.
class StepGraph {
 public:
  explicit StepGraph(const Network& network)
      : network_(network),
        transfers_(static_cast<std::uint32_t>(network.transfers.size())),
        after_(2 * static_cast<std::size_t>(transfers_)),
        incoming_(after_.size(), 0) {
    for (std::uint32_t i = 0; i < transfers_; ++i) {
      const std::uint32_t receive = network.transfers[i].receive_op;
      if (end_of(receive) != i) add_edge(i, end_of(receive));
    }
    for (std::uint32_t op = 0; op < network.op_count(); ++op) {
      const auto node = static_cast<std::size_t>(network.node_of_op[op]);
      for (std::uint32_t wait : network.plans[node].waits_of(network.op(op))) {
        add_edge(end_of(network.first_op[node] + wait), end_of(op));
      }
    }
  }

  // A node sends one operation at a time and receives one at a time, in plan order.
  void allow_one_at_a_time() {
    for (std::size_t node = 0; node < network_.plans.size(); ++node) {
      std::uint32_t previous_send = kNone;
      std::uint32_t previous_receive = kNone;
      for (std::uint32_t op = network_.first_op[node]; op < network_.first_op[node + 1]; ++op) {
        const bool is_send = network_.op(op).kind == OpKind::kSend;
        std::uint32_t& previous = is_send ? previous_send : previous_receive;
        const std::uint32_t transfer = network_.transfer_of_op[op];
        if (previous != kNone) add_edge(previous, transfer);
        previous = transfer;
      }
    }
  }

  // In steps; 0 where the edges make a circle, which segment-wise execution may still survive.
  int longest_path() const {
    std::vector<int> incoming = incoming_;
    std::vector<int> start(after_.size(), 0);
    std::vector<std::uint32_t> ready;
    for (std::uint32_t i = 0; i < after_.size(); ++i) {
      if (incoming[i] == 0) ready.push_back(i);
    }
    int longest = 0;
    std::size_t seen = 0;
    while (!ready.empty()) {
      const std::uint32_t vertex = ready.back();
      ready.pop_back();
      ++seen;
      const int end = start[vertex] + (vertex < transfers_ ? 1 : 0);
      longest = std::max(longest, end);
      for (std::uint32_t next : after_[vertex]) {
        start[next] = std::max(start[next], end);
        if (--incoming[next] == 0) ready.push_back(next);
      }
    }
    return seen == after_.size() ? longest : 0;
  }

 private:
  // The vertex at which an operation has finished, and that its waits hold back.
  std::uint32_t end_of(std::uint32_t op) const {
    const std::uint32_t transfer = network_.transfer_of_op[op];
    return network_.op(op).takes_ahead() ? transfers_ + transfer : transfer;
  }

  void add_edge(std::uint32_t from, std::uint32_t to) {
    after_[from].push_back(to);
    ++incoming_[to];
  }

  const Network& network_;
  std::uint32_t transfers_;
  std::vector<std::vector<std::uint32_t>> after_;
  std::vector<int> incoming_;
};

LinkUse link_use(const Network& network, const Shape& shape) {
  struct Crossing {
    std::int64_t link;
    int stream;
    std::uint64_t bytes;
  };
  std::vector<Crossing> crossings;
  for (const Transfer& transfer : network.transfers) {
    const PlanOp& op = network.op(transfer.send_op);
    for_each_link(shape, network.node_of_op[transfer.send_op], op.peer, [&](std::int64_t link) {
      crossings.push_back({link, op.stream, op.bytes});
    });
  }
  std::sort(crossings.begin(), crossings.end(), [](const Crossing& a, const Crossing& b) {
    return std::pair(a.link, a.stream) < std::pair(b.link, b.stream);
  });
  LinkUse use;
  for (std::size_t i = 0; i < crossings.size();) {
    const std::int64_t link = crossings[i].link;
    int streams = 0;
    int transfers = 0;
    std::uint64_t bytes = 0;
    for (int stream = -1; i < crossings.size() && crossings[i].link == link; ++i) {
      streams += crossings[i].stream != stream;
      stream = crossings[i].stream;
      ++transfers;
      bytes += crossings[i].bytes;
    }
    use.max_streams = std::max(use.max_streams, streams);
    use.max_transfers = std::max(use.max_transfers, transfers);
    use.max_bytes = std::max(use.max_bytes, bytes);
    ++use.links_used;
  }
  return use;
}

}  // namespace

void measure(const Network& network, const Scenario& scenario, VerifyReport& report) {
  StepGraph graph(network);
  report.depth = graph.longest_path();
  graph.allow_one_at_a_time();
  report.rounds = graph.longest_path();
  std::set<int> streams;
  for (const Plan& plan : network.plans) {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    for (const PlanOp& op : plan.ops) {
      (op.kind == OpKind::kSend ? sent : received) += op.bytes;
      streams.insert(op.stream);
    }
    report.max_sent_bytes = std::max(report.max_sent_bytes, sent);
    report.max_received_bytes = std::max(report.max_received_bytes, received);
    report.max_ops = std::max(report.max_ops, plan.ops.size());
  }
  report.streams = static_cast<int>(streams.size());
  report.links = link_use(network, scenario.shape);
}

}  // namespace mpiactor::inter::verifier
