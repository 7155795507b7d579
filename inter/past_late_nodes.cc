#include "inter/past_late_nodes.h"

#include <algorithm>
#include <map>
#include <utility>

#include "inter/served_nodes.h"

namespace mpiactor::inter {
namespace {

constexpr int kNobody = -1;

// One tree, of one channel.
struct Tree {
  explicit Tree(std::size_t nodes) : parent(nodes, kNobody), children(nodes) {}
  std::vector<int> parent;
  std::vector<std::vector<int>> children;
};

std::map<int, Tree> trees_in(const std::vector<Plan>& plans) {
  std::map<int, Tree> trees;
  for (std::size_t node = 0; node < plans.size(); ++node) {
    for (const PlanOp& op : plans[node].ops) {
      Tree& tree = trees.try_emplace(op.channel, plans.size()).first->second;
      if (op.kind == OpKind::kSend) {
        tree.children[node].push_back(op.peer);
      } else {
        tree.parent[node] = op.peer;
      }
    }
  }
  return trees;
}

// Every node behind its parent.
std::vector<int> downwards(const Tree& tree, int root) {
  std::vector<int> order{root};
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const int child : tree.children[static_cast<std::size_t>(order[i])]) {
      order.push_back(child);
    }
  }
  return order;
}

struct Server {
  int node = kNobody;
  std::uint64_t from = 0;
};

class ServersOfTree {
 public:
  ServersOfTree(const Tree& tree, int root, const NodeTimes& times, std::size_t most)
      : tree_(tree),
        times_(times),
        most_(most),
        servers_(tree.parent.size()),
        has_(tree.parent.size()),
        adopted_(tree.parent.size()) {
    for (const int node : downwards(tree, root)) {
      if (node != root) servers_[at(node)] = find(node);
      has_[at(node)] = node == root ? arrival(node) : servers_[at(node)].from + hop(node);
    }
  }

  const Server& of(int node) const { return servers_[at(node)]; }

 private:
  static std::size_t at(int node) { return static_cast<std::size_t>(node); }
  std::uint64_t arrival(int node) const { return times_.arrivals[at(node)]; }
  // From its server to the node.
  std::uint64_t hop(int node) const {
    const std::uint64_t here = times_.balanced[at(node)];
    return here - std::min(here, times_.balanced[at(tree_.parent[at(node)])]);
  }

  Server find(int node) {
    const int parent = tree_.parent[at(node)];
    Server best{parent, std::max(arrival(node), has_[at(parent)])};
    int below = parent;
    for (std::size_t between = 1; between <= kMostBetween; ++between) {
      const int above = tree_.parent[at(below)];
      if (above == kNobody) break;
      const std::uint64_t offered = has_[at(above)] + (times_.patience << (between - 1));
      const std::uint64_t from = std::max(offered, arrival(node) + times_.patience);
      const bool is_late = arrival(below) > from;
      if (is_late && from < best.from && may_adopt(above, parent, from)) best = {above, from};
      below = above;
    }
    if (best.node != parent) adopted_[at(best.node)].push_back({node, best.from});
    return best;
  }

  // Not where it serves a node between the two by then: that one's turn is earlier.
  bool may_adopt(int above, int parent, std::uint64_t when) const {
    const std::vector<Server>& adopted = adopted_[at(above)];
    if (adopted.size() >= most_) return false;
    for (int between = parent; between != above; between = tree_.parent[at(between)]) {
      const auto is_between = [&](const Server& one) {
        return one.node == between && one.from <= when;
      };
      if (std::any_of(adopted.begin(), adopted.end(), is_between)) return false;
    }
    return true;
  }

  const Tree& tree_;
  const NodeTimes& times_;
  std::size_t most_;
  std::vector<Server> servers_;
  std::vector<std::uint64_t> has_;            // when each node has its bytes
  std::vector<std::vector<Server>> adopted_;  // whom each node serves out of turn, from when
};

// The plans of all nodes, with servers in place of planned senders.
class Rewriter {
 public:
  Rewriter(const std::vector<Plan>& planned, const std::map<int, ServersOfTree>& servers,
           std::span<const std::uint64_t> arrivals)
      : servers_(servers), arrivals_(arrivals), received_(planned.size()), more_(planned.size()) {
    served_.plans.resize(planned.size());
    served_.starts.resize(planned.size());
    for (std::size_t node = 0; node < planned.size(); ++node) rewrite(node, planned[node]);
    for (std::size_t node = 0; node < planned.size(); ++node) add_sends_out_of_turn(node);
  }

  ServedPlans take() { return std::move(served_); }

 private:
  struct LateSend {
    PlanOp op;
    std::uint64_t from;
  };

  void rewrite(std::size_t node, const Plan& planned) {
    const auto me = static_cast<int>(node);
    std::vector<std::uint32_t> renumbered;
    for (PlanOp op : planned.ops) {
      std::vector<std::uint32_t> waits;
      for (const std::uint32_t wait : planned.waits_of(op)) waits.push_back(renumbered[wait]);
      const ServersOfTree& tree = servers_.at(op.channel);
      if (op.kind == OpKind::kSend && tree.of(op.peer).node != me) {
        renumbered.push_back(Plan::kNoOp);
        continue;
      }
      if (op.kind == OpKind::kReceive && tree.of(me).node != op.peer) adopt(me, tree.of(me), &op);
      renumbered.push_back(served_.plans[node].add(op, waits));
      served_.starts[node].push_back(arrivals_[node]);
      if (op.kind == OpKind::kReceive) received_[node][op.channel] = renumbered.back();
    }
  }

  void adopt(int node, const Server& server, PlanOp* receive) {
    receive->peer = server.node;
    PlanOp send = *receive;
    send.kind = OpKind::kSend;
    send.peer = node;
    more_[static_cast<std::size_t>(server.node)].push_back({send, server.from});
    ++served_.adopted;
  }

  void add_sends_out_of_turn(std::size_t node) {
    for (const LateSend& send : more_[node]) {
      const auto from = received_[node].find(send.op.channel);
      const bool is_root = from == received_[node].end();
      served_.plans[node].add(send.op, {is_root ? Plan::kNoOp : from->second});
      served_.starts[node].push_back(send.from);
    }
  }

  const std::map<int, ServersOfTree>& servers_;  // by channel
  std::span<const std::uint64_t> arrivals_;
  std::vector<std::map<int, std::uint32_t>> received_;  // of each node and channel
  std::vector<std::vector<LateSend>> more_;             // of each node
  ServedPlans served_;
};

}  // namespace

ServedPlans past_late_nodes(const Algorithm& algorithm, const PlanInput& input,
                            const NodeTimes& times) {
  std::vector<Plan> planned;
  PlanInput own = input;
  for (own.node = 0; own.node < static_cast<int>(input.shape.nodes()); ++own.node) {
    planned.push_back(algorithm.make_plan(own));
  }
  const std::map<int, Tree> trees = trees_in(planned);
  std::map<int, ServersOfTree> servers;
  for (const auto& [channel, tree] : trees) {
    servers.try_emplace(channel, tree, input.root_node, times, kMostAdopted / trees.size());
  }
  return Rewriter(planned, servers, times.arrivals).take();
}

}  // namespace mpiactor::inter
