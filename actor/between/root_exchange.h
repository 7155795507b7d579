// The part of a reduction between nodes: every node's vector to the root.
#ifndef MPIACTOR_ACTOR_BETWEEN_ROOT_EXCHANGE_H_
#define MPIACTOR_ACTOR_BETWEEN_ROOT_EXCHANGE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "actor/between/between.h"
#include "actor/between/node_exchange.h"
#include "actor/between/request_leaders.h"
#include "actor/container/container.h"
#include "actor/node/meeting.h"
#include "actor/reduction/reduction.h"
#include "inter/tuning.h"

namespace mpiactor {

// What a node exchanges in it.
class RootPlan {
 public:
  // `way`: kDirect, all nodes send to the root, each by whichever member completes its vector (with
  // static policy by its fixed leader); kPlan, they run the chosen plan, for which fixed leaders
  // receive (the root on its own node). `buffer`: this node's vector; the root's holds the result
  // in the end.
  // `intake`: in which order the root combines where all nodes send to it.
  RootPlan(Container& container, std::uint64_t sequence, inter::Way way, int root,
           std::byte* buffer, std::uint64_t bytes, const Reduction& reduction, Intake intake);
  RootPlan(const RootPlan&) = delete;
  RootPlan& operator=(const RootPlan&) = delete;

  bool all_send_to_root() const { return way_ == inter::Way::kDirect; }
  // Refers to this object.
  NodeExchange::Setup describe();

 private:
  const inter::Selection& choose();

  Container& container_;
  std::uint64_t sequence_;
  inter::Way way_;
  int root_node_;
  Intake intake_;
  NodeExchange::Setup setup_;
  RequestLeaders leaders_;  // fixed ones, and the root
  Collectors collectors_;
  inter::Plan star_;
  std::shared_ptr<const Choice> choice_;
};

// The root's part, or that of a node that this member completes where all nodes send to the root.
class RootExchange {
 public:
  // Of a RootPlan.
  RootExchange(Container& container, std::uint64_t sequence, inter::Way way, int root,
               std::byte* buffer, std::uint64_t bytes, const Reduction& reduction, Intake intake);
  RootExchange(const RootExchange&) = delete;
  RootExchange& operator=(const RootExchange&) = delete;

  // True where anything came forward.
  bool progress() { return exchange_->progress(); }
  void finish() { exchange_->finish(); }

 private:
  RootPlan plan_;
  std::optional<NodeExchange> exchange_;
};

// The part of a node without the root, one object a member. Whoever completes the node's vector
// sends it; what other nodes send by way of this node the leader passes on.
class NodeToRoot {
 public:
  NodeToRoot(Container& container, Meeting& meeting, inter::Way way, int root,
             std::byte* node_vector, std::uint64_t bytes, const Reduction& reduction,
             Intake intake);

  // One member calls it.
  void complete();
  // This member's part to its end.
  void finish();

 private:
  Container& container_;
  std::uint64_t sequence_;
  RootPlan plan_;
  std::optional<NodeExchange> sends_;
  std::optional<Between> between_;  // where fixed leaders take part
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_BETWEEN_ROOT_EXCHANGE_H_
