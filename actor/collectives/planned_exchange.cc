#include "actor/collectives/planned_exchange.h"

#include <cstring>
#include <utility>

#include "inter/ways.h"

namespace mpiactor {

bool PlannedExchange::others_send(const Container& container) {
  return container.is_competitive() && container.nodes().most_members() > 1 &&
         container.nodes().nodes() <= inter::kMostSplitNodes;
}

PlannedExchange::PlannedExchange(Container& container, Meeting& meeting,
                                 const inter::PossibleLeaders& talkers, bool talks,
                                 std::uint64_t counted, Describe describe)
    : container_(container),
      meeting_(meeting),
      talkers_(talkers),
      talks_(talks),
      others_send_(others_send(container)),
      complete_(counted + kComplete),
      may_begin_(complete_ + kTalkerSleeps + kTalkerMayBegin),
      describe_(std::move(describe)) {}

void PlannedExchange::prepare() {
  if (setup_) return;
  setup_ = describe_();
  setup_->leaders = &talkers_;
  setup_->from_any_member = others_send_;
  if (others_send_) split_ = inter::split_plan(*setup_->plan);
}

void PlannedExchange::start(const inter::Plan& plan) {
  NodeExchange::Setup setup = *setup_;
  setup.plan = &plan;
  exchange_.emplace(container_, meeting_.sequence(), setup);
}

void PlannedExchange::complete() {
  const std::uint64_t arrived = meeting_.arrive(complete_, kComplete);
  if (talks_) {
    sleeps_ = false;  // it may have said so while it waited for what it now completes
  } else if (arrived & kTalkerSleeps) {
    send_first();
  }
}

// Before the talker changes what is sent, it lies in a copy.
void PlannedExchange::send_first() {
  prepare();
  const inter::ByteRange& copied = split_.copied;
  if (copied.bytes != 0) {
    copy_ = inter::KeptBytes(copied.bytes);
    std::memcpy(copy_.data(), setup_->buffer + copied.offset, copied.bytes);
    setup_->buffer = copy_.data();
    setup_->bytes = copied.bytes;
  }
  // The talker wakes up while this member sends.
  meeting_.arrive(may_begin_, kTalkerMayBegin);
  if (!split_.first.ops.empty()) start(split_.first);
}

// From now on whoever completes the node's data sends, unless that has been done already.
void PlannedExchange::fall_asleep() { sleeps_ = !(meeting_.arrive(0, kTalkerSleeps) & kComplete); }

// Talker: begins where the others have come; gives up waiting for them after a while. True where it
// has begun.
bool PlannedExchange::decide() {
  if (!meeting_.has_arrived(complete_)) {
    const std::uint64_t now_ns = shm::monotonic_ns();
    if (deadline_ns_ == 0) deadline_ns_ = now_ns + inter::kHomePatienceUs * 1000;
    if (now_ns < deadline_ns_) return false;
    fall_asleep();
    if (sleeps_) return false;
  }
  prepare();
  start(*setup_->plan);
  return true;
}

bool PlannedExchange::leave_to_others() {
  if (!others_send_ || exchange_) return false;
  prepare();
  if (!split_.rest.ops.empty()) return false;
  if (!sleeps_) fall_asleep();
  return sleeps_;
}

bool PlannedExchange::progress() {
  if (!talks_ || exchange_) return exchange_ && exchange_->progress();
  if (others_send_ && !sleeps_) return decide();
  if (!meeting_.has_arrived(sleeps_ ? may_begin_ : complete_)) return false;
  prepare();
  start(sleeps_ ? split_.rest : *setup_->plan);
  return true;
}

}  // namespace mpiactor
