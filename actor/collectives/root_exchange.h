// The part of a reduction between nodes: every node's vector to the root.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_ROOT_EXCHANGE_H_
#define MPIACTOR_ACTOR_COLLECTIVES_ROOT_EXCHANGE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "actor/collectives/node_exchange.h"
#include "actor/container/container.h"
#include "actor/reduction/reduction.h"

namespace mpiactor {

// Whether all nodes send to the root, each by whichever member completes its vector; else the homes
// (the root on its own node) run the chosen plan.
bool all_send_to_root(const Container& container);

class RootExchange {
 public:
  // `buffer`: this node's vector; the root's holds the result in the end. `intake`: in which order
  // the root combines where all nodes send to it.
  RootExchange(Container& container, std::uint64_t sequence, int root, std::byte* buffer,
               std::uint64_t bytes, const Reduction& reduction, Intake intake);
  RootExchange(const RootExchange&) = delete;
  RootExchange& operator=(const RootExchange&) = delete;

  // True where anything came forward.
  bool progress() { return exchange_->progress(); }
  void finish() { exchange_->finish(); }

 private:
  struct HomesAndRoot : public inter::PossibleLeaders {
    HomesAndRoot(const NodeMap& nodes, int root) : nodes_(nodes), root_(root) {}
    inter::RankList of_node(int node) const override {
      if (node == nodes_.node_of(root_)) return inter::RankList::single(root_);
      return nodes_.members(node).first(1);
    }
    const NodeMap& nodes_;
    int root_;
  };
  HomesAndRoot homes_;
  Collectors collectors_;
  inter::Plan plan_;
  std::shared_ptr<const Choice> choice_;
  std::optional<NodeExchange> exchange_;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_ROOT_EXCHANGE_H_
