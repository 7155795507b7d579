// The part between nodes of a collective to which all members of a node contribute: a plan, run by
// those members who are awake. One member of each node, its leader here, is known to all nodes and
// receives for it. It waits a while for the node's data: where all come together, it sends them,
// too, since there one process is quicker than two. Then it leaves sending to whoever completes the
// data (competition/arrivals.h). With static leaders the leader does everything.
//
// Where the plan passes things on, or combines in place, whoever completes the data sends what it
// sends first, and the leader wakes up for the rest. Where its rest only receives, the leader does
// that from the beginning, and nothing waits for it when it sleeps. Such a plan may have a second
// round, of what is made of all that came in the first one: by whoever brings the last of that, the
// node's own data or another node's.
#ifndef MPIACTOR_ACTOR_BETWEEN_BETWEEN_H_
#define MPIACTOR_ACTOR_BETWEEN_BETWEEN_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "actor/between/node_exchange.h"
#include "actor/competition/arrivals.h"
#include "actor/container/container.h"
#include "actor/container/progress.h"
#include "actor/node/meeting.h"
#include "inter/kept_bytes.h"
#include "inter/split_plan.h"

namespace mpiactor {

class Between {
 public:
  // Whether others than leaders may send, on all nodes. Equal on all ranks.
  static bool others_send(const Container& container);

  struct Setup {
    bool is_patient = true;  // whether leaders wait for their nodes' data at all
    // Plan, buffer, bytes, segments and reduction of the exchange, which all outlive it; leaders
    // where they are others than FixedLeaders. Called on whoever sends or leads.
    std::function<NodeExchange::Setup()> describe;
    // Where the plan's rest only receives: makes of what came in the first round what there is to
    // be sent in the second one, or the result.
    std::function<void()> combine = {};
  };
  Between(Container& container, Meeting& meeting, Setup setup);
  Between(const Between&) = delete;
  Between& operator=(const Between&) = delete;

  // The node's data are complete. One member calls it.
  void complete();
  // True where anything came forward.
  bool progress();
  // Nothing is under way that needs this member's progress.
  bool is_idle() const;
  // Nor will there be.
  bool is_over() const { return is_idle() && (!leads_ || rest_); }

  // Leader: leaves the node's data to others, where there is nothing to do but to send them.
  // Returns whether it has.
  bool leave_to_others();
  // This member's part to its end: the leader's, when the others' data are there. work() does other
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
  // This member has laid down what it has: the node's data are complete with the last of them.
  void run_for_all();

 private:
  bool waits_for_data() const { return leads_ && others_send_ && !is_sending_left_ && !rest_; }
  void prepare();
  bool leave_sending();
  bool decide();
  template <typename Work>
  void wait_for_data(Work work);
  void start(std::optional<NodeExchange>& part, const inter::Plan& plan);
  void start_as_leader();
  void send_for_leader();
  void receive();
  void count_received(std::uint64_t offset, std::uint64_t bytes);
  void end_round(int round);

  Container& container_;
  Meeting& meeting_;
  competition::Arrivals arrivals_;
  Setup setup_;
  FixedLeaders leaders_;
  bool leads_;
  bool others_send_;
  // Leader: others send; until when it waits for them (0: it has not begun to).
  bool is_sending_left_ = false;
  std::uint64_t deadline_ns_ = 0;
  std::optional<NodeExchange::Setup> exchange_;  // of the whole plan
  inter::SplitPlan split_;
  std::optional<inter::Rounds> rounds_;  // where its rest only receives
  std::uint64_t missing_bytes_[competition::Arrivals::kRounds] = {};
  inter::KeptBytes copy_;
  // Whoever sends: what the plan sends first; what it sends in the second round.
  std::optional<NodeExchange> first_;
  std::optional<NodeExchange> second_;
  // Leader: the rest of the plan, or all of it.
  std::optional<NodeExchange> rest_;
  std::size_t next_part_ = 0;  // to be looked at
};

template <typename Work>
void Between::wait_for_data(Work work) {
  while (waits_for_data() && !decide()) {
    if (waits_for_data() && !work()) arrivals_.wait_complete_until(deadline_ns_);
  }
  if (rest_) return;
  // While this node is not complete nothing of a later request can be under way.
  if (is_sending_left_) {
    arrivals_.wait_may_begin();
  } else {
    arrivals_.wait_complete();
  }
  progress();
}

template <typename Work>
void Between::finish(Work work) {
  if (leads_ && !rest_) wait_for_data(work);
  work_until([this] { return is_idle(); },
             [&] {
               const bool any = work();
               return progress() || any;
             });
}

template <typename Work>
void Between::finish_for_all(Work work) {
  finish(work);
  if (leads_ && !rounds_) {
    meeting_.publish_result();
  } else {
    meeting_.wait_result();
  }
}

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_BETWEEN_BETWEEN_H_
