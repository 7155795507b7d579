// The part between nodes by a plan, in a collective to which all members of a node contribute. One
// member of each node talks for it. It waits a while for the others: where all come together, it
// runs the plan, since there one process is quicker than two. Then it says that it sleeps, and from
// then on whoever completes the node's data sends at once what the plan sends before anything has
// come from other nodes, while the talker wakes up for the rest. With static leaders the talker
// does everything.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_PLANNED_EXCHANGE_H_
#define MPIACTOR_ACTOR_COLLECTIVES_PLANNED_EXCHANGE_H_

#include <cstdint>
#include <functional>
#include <optional>

#include "actor/collectives/meeting.h"
#include "actor/collectives/node_exchange.h"
#include "actor/container/container.h"
#include "actor/container/progress.h"
#include "inter/kept_bytes.h"
#include "inter/split_plan.h"

namespace mpiactor {

class PlannedExchange {
 public:
  // Whether others than talkers may send, on all nodes. Equal on all ranks.
  static bool others_send(const Container& container);

  // What a meeting's members count otherwise while it is used, at most.
  static constexpr std::uint64_t kMostCounted = (1 << 17) - 1;
  // Of an arrival's number, what is counted.
  static constexpr std::uint64_t counted(std::uint64_t arrived) { return arrived & kMostCounted; }

  // Plan, buffer, bytes, segments and reduction of the exchange, which all outlive it. Called on
  // whoever sends.
  using Describe = std::function<NodeExchange::Setup()>;

  // `talkers`: one of each node, the same on all ranks; `talks` where it is this member. `counted`:
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

  // Talker: leaves the node's data to others, where there is nothing to do but to send them.
  // Returns whether it has.
  bool leave_to_others();
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
  // Arrivals beside those that are counted.
  static constexpr std::uint64_t kComplete = kMostCounted + 1;
  static constexpr std::uint64_t kTalkerSleeps = kComplete << 1;
  // What is sent lies in a copy: the talker may begin.
  static constexpr std::uint64_t kTalkerMayBegin = kTalkerSleeps << 1;
  static_assert(kTalkerMayBegin << 1 <= competition::kMaxEntries + 1);

  void prepare();
  bool decide();
  void fall_asleep();
  template <typename Work>
  void wait_for_others(Work work);
  void start(const inter::Plan& plan);
  void send_first();

  Container& container_;
  Meeting& meeting_;
  const inter::PossibleLeaders& talkers_;
  bool talks_;
  bool others_send_;
  // Talker: others send; until when it waits for them (0: it has not begun to).
  bool sleeps_ = false;
  std::uint64_t deadline_ns_ = 0;
  std::uint64_t complete_;   // arrivals where it does not sleep
  std::uint64_t may_begin_;  // where it does
  Describe describe_;
  std::optional<NodeExchange::Setup> setup_;  // of the whole plan
  inter::SplitPlan split_;                    // of it, where others send
  inter::KeptBytes copy_;
  std::optional<NodeExchange> exchange_;
};

template <typename Work>
void PlannedExchange::wait_for_others(Work work) {
  while (others_send_ && !sleeps_ && !decide()) {
    if (!work()) meeting_.wait_arrived_until(complete_, deadline_ns_);
  }
  if (exchange_) return;
  // While this node is not complete nothing of a later request can be under way.
  meeting_.wait_arrived(sleeps_ ? may_begin_ : complete_);
  progress();
}

template <typename Work>
void PlannedExchange::finish(Work work) {
  if (talks_ && !exchange_) wait_for_others(work);
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
