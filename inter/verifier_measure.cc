// What the plans cost: depth, rounds, bytes per node, load of the links.
#include <algorithm>
#include <set>

#include "inter/routes.h"
#include "inter/verifier_parts.h"

namespace mpiactor::inter::verifier {
namespace {

// Longest path over the transfers in unit steps. Edges: from a waited operation to the waiting one;
// with `one_port` also from each send of a node to its next. 0 where the edges make a circle, which
// segment-wise execution may still survive.
int longest_path(const Network& network, const Dependents& dependents, bool one_port) {
  const std::size_t count = network.transfers.size();
  std::vector<std::uint32_t> next_send(count, kNone);
  std::vector<int> incoming(count, 0);
  for (const Plan& plan : network.plans) {
    const auto node = static_cast<std::size_t>(&plan - network.plans.data());
    std::uint32_t previous = kNone;
    for (std::uint32_t i = 0; one_port && i < plan.ops.size(); ++i) {
      if (plan.ops[i].kind != OpKind::kSend) continue;
      const std::uint32_t transfer = network.transfer_of_op[network.first_op[node] + i];
      if (previous != kNone) {
        next_send[previous] = transfer;
        ++incoming[transfer];
      }
      previous = transfer;
    }
  }
  for (std::uint32_t waiter : dependents.ops) ++incoming[network.transfer_of_op[waiter]];

  std::vector<int> start(count, 0);
  std::vector<std::uint32_t> ready;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (incoming[i] == 0) ready.push_back(i);
  }
  int longest = 0;
  std::size_t seen = 0;
  auto release = [&](std::uint32_t transfer, int time) {
    start[transfer] = std::max(start[transfer], time);
    if (--incoming[transfer] == 0) ready.push_back(transfer);
  };
  while (!ready.empty()) {
    const std::uint32_t transfer = ready.back();
    ready.pop_back();
    ++seen;
    const int end = start[transfer] + 1;
    longest = std::max(longest, end);
    if (next_send[transfer] != kNone) release(next_send[transfer], end);
    for (std::uint32_t op :
         {network.transfers[transfer].send_op, network.transfers[transfer].receive_op}) {
      for (std::uint32_t waiter : dependents.of(op)) release(network.transfer_of_op[waiter], end);
    }
  }
  return seen == count ? longest : 0;
}

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
  const Dependents dependents(network);
  report.depth = longest_path(network, dependents, false);
  report.rounds = longest_path(network, dependents, true);
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
