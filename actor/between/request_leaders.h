// How a leader is found where the root gives and the nodes take: broadcast and scatter.
#ifndef MPIACTOR_ACTOR_BETWEEN_REQUEST_LEADERS_H_
#define MPIACTOR_ACTOR_BETWEEN_REQUEST_LEADERS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "actor/container/container.h"
#include "actor/container/push_limit.h"
#include "inter/messages.h"

namespace mpiactor {

constexpr bool is_announced_anyway(std::uint64_t sequence) {
  return sequence % kAnnouncedEvery == 0;
}

// Who leads the root's node.
enum class RootsNode {
  kRoot,   // the root: all know it
  kFirst,  // as on other nodes, or the root
};

// Who may lead which node in one request.
class RequestLeaders : public inter::PossibleLeaders {
 public:
  RequestLeaders(const NodeMap& nodes, int root, LeaderPolicy policy, RootsNode roots_node)
      : nodes_(&nodes), root_(root), root_node_(nodes.node_of(root)), policy_(policy) {
    compete_for_root_ = roots_node == RootsNode::kFirst;
    if (!compete_for_root_) return;
    const inter::RankList others = usual(root_node_);
    if (std::find(others.begin(), others.end(), root) != others.end()) return;
    with_root_.assign(others.begin(), others.end());
    if (policy == LeaderPolicy::kCompetitive) {
      with_root_.back() = root;
    } else {
      with_root_.push_back(root);
    }
  }

  inter::RankList of_node(int node) const override {
    return node == root_node_ ? of_roots_node() : usual(node);
  }

  bool may_lead(int node, int rank) const {
    const inter::RankList all = of_node(node);
    return std::find(all.begin(), all.end(), rank) != all.end();
  }

  // Whether this rank leads its node in request `sequence`; waits until the slot is free.
  bool takes_leadership(Container& container, std::uint64_t sequence) const {
    competition::RequestQueue& queue = container.queue();
    if (!may_lead(container.node(), container.rank())) return false;
    if (of_node(container.node()).size() == 1) {
      queue.lead(sequence);
      return true;
    }
    return queue.compete(sequence) == competition::Role::kLeader;
  }

 private:
  inter::RankList usual(int node) const {
    return policy_ == LeaderPolicy::kStatic ? nodes_->members(node).first(1)
                                            : nodes_->candidates(node);
  }
  inter::RankList of_roots_node() const {
    if (!compete_for_root_) return inter::RankList::single(root_);
    if (with_root_.empty()) return usual(root_node_);
    return inter::RankList::view(with_root_.data(), static_cast<int>(with_root_.size()));
  }

  const NodeMap* nodes_;
  int root_;
  int root_node_;
  LeaderPolicy policy_;
  bool compete_for_root_;
  std::vector<int> with_root_;  // candidates of the root's node, where the root is none of them
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_BETWEEN_REQUEST_LEADERS_H_
