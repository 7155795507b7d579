// The part between nodes of a collective in which all nodes wait for each other: a plan, run by one
// member of each node.
#ifndef MPIACTOR_ACTOR_BETWEEN_NODE_EXCHANGE_H_
#define MPIACTOR_ACTOR_BETWEEN_NODE_EXCHANGE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "actor/container/container.h"
#include "actor/reduction/reduction.h"
#include "inter/engine.h"
#include "inter/exchange_plan.h"
#include "inter/plan.h"

namespace mpiactor {

// Who receives for a node where no root is given, and mostly sends for it: its lowest member.
class FixedLeaders : public inter::PossibleLeaders {
 public:
  explicit FixedLeaders(const NodeMap& nodes) : nodes_(nodes) {}
  inter::RankList of_node(int node) const override { return nodes_.members(node).first(1); }

 private:
  const NodeMap& nodes_;
};

inline bool is_fixed_leader(const Container& container) { return container.member() == 0; }

// Who sends for a node where the root's node does nothing but collect: the root there, elsewhere
// whoever completes the node's part.
class Collectors : public inter::PossibleLeaders {
 public:
  Collectors(const NodeMap& nodes, int root) : nodes_(nodes), root_(root) {}
  inter::RankList of_node(int node) const override {
    if (node == nodes_.node_of(root_)) return inter::RankList::single(root_);
    return nodes_.members(node);
  }

 private:
  const NodeMap& nodes_;
  int root_;
};

using inter::Transfer;

class NodeExchange {
 public:
  struct Setup {
    const inter::Plan* plan = nullptr;
    const inter::PossibleLeaders* leaders = nullptr;
    std::byte* buffer = nullptr;
    std::uint64_t bytes = 0;  // of buffer
    std::uint64_t segment_bytes = 0;
    const Reduction* reduction = nullptr;  // where the plan combines
    bool in_node_order = false;            // see inter::Algorithm::combines_in_node_order
    bool from_any_member = false;          // see inter::EngineSetup::from_any
    bool synchronous = false;              // see inter::EngineSetup
    std::function<void(std::uint64_t offset, std::uint64_t bytes)> arrived = {};  // the same
  };
  // `setup`'s pointers must outlive the exchange.
  NodeExchange(Container& container, std::uint64_t sequence, const Setup& setup);

  bool done() const { return engine_->done(); }
  // True where anything came forward.
  bool progress();
  void finish();

 private:
  std::optional<inter::Engine> engine_;
};

using inter::exchange_plan;
using inter::Intake;

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_BETWEEN_NODE_EXCHANGE_H_
