// The part between nodes by a plan, in a collective in which all members of a node contribute. Whoever
// completes the node's data sends at once what the plan sends before anything has come from other
// nodes; the node's talker, which it wakes, does the rest. With static leaders the talker does
// everything.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_PLANNED_EXCHANGE_H_
#define MPIACTOR_ACTOR_COLLECTIVES_PLANNED_EXCHANGE_H_

#include <cstdint>
#include <functional>
#include <optional>

#include "actor/collectives/mail.h"
#include "actor/collectives/meeting.h"
#include "actor/collectives/node_exchange.h"
#include "actor/container/container.h"
#include "inter/kept_bytes.h"
#include "inter/split_plan.h"

namespace mpiactor {

class PlannedExchange {
 public:
  // Whether whoever completes its node's data sends, on all nodes. Equal on all ranks.
  static bool others_send(const Container& container);

  // What a meeting's members count otherwise while it is used, at most.
  static constexpr std::uint64_t kMostCounted = (1 << 18) - 1;

  // Plan, buffer, bytes, segments and reduction of the exchange, which all outlive it. Called on
  // whoever completes, and on the talker.
  using Describe = std::function<NodeExchange::Setup()>;

  // `talkers`: one of each node, the same on all ranks, `talks` where it is this member. `counted`:
  // the meeting's arrivals when the node's data are complete. All outlive it.
  PlannedExchange(Container& container, Meeting& meeting, const inter::PossibleLeaders& talkers,
                  bool talks, std::uint64_t counted, Describe describe);
  PlannedExchange(const PlannedExchange&) = delete;
  PlannedExchange& operator=(const PlannedExchange&) = delete;

  // The node's data are complete. One member calls it.
  void complete();
  // True where anything came forward.
  bool progress();
  // Nothing is under way that needs this member's progress.
  bool is_idle() const { return !exchange_ || exchange_->done(); }
  // Nor will there be.
  bool is_over() const { return talks_ ? exchange_ && exchange_->done() : is_idle(); }

  // Talker: whether it has anything to do but to wait for whoever completes.
  bool has_rest();
  // This member's part to its end: the talker's, when the others' data are there. work() does other
  // things meanwhile, and says whether anything came forward.
  template <typename Work>
  void finish(Work work);
  void finish() {
    finish([] { return false; });
  }
  // The same; ends on all members when the exchange has ended.
  template <typename Work>
  void finish_for_all(Work work);
  void finish_for_all() {
    finish_for_all([] { return false; });
  }

 private:
  static constexpr std::uint64_t kComplete = kMostCounted + 1;

  void prepare();
  void send_first();
  void start_talking();

  Container& container_;
  Meeting& meeting_;
  const inter::PossibleLeaders& talkers_;
  bool talks_;
  bool others_send_;
  bool has_completed_ = false;
  std::uint64_t everything_;
  Describe describe_;
  std::optional<NodeExchange::Setup> setup_;  // of the whole plan
  inter::SplitPlan split_;                    // of it, where others send
  inter::KeptBytes copy_;
  std::optional<NodeExchange> exchange_;
};

template <typename Work>
void PlannedExchange::finish(Work work) {
  if (talks_ && !exchange_) {
    // While this node is not complete nothing of a later request can be under way.
    meeting_.wait_arrived(everything_);
    start_talking();
  }
  work_until([this] { return is_idle(); },
             [&] {
               const bool any = work();
               return progress() || any;
             });
}

template <typename Work>
void PlannedExchange::finish_for_all(Work work) {
  finish(work);
  if (talks_) {
    meeting_.publish_result();
  } else {
    meeting_.wait_result();
  }
}

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_PLANNED_EXCHANGE_H_
