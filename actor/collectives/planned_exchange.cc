#include "actor/collectives/planned_exchange.h"

#include <cstring>
#include <utility>

#include "actor/container/world.h"

namespace mpiactor {

bool PlannedExchange::others_send(const Container& container) {
  return world()->settings.leader == LeaderMode::kCompetitive &&
         container.nodes().most_members() > 1 &&
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
      everything_(counted + kComplete),
      describe_(std::move(describe)) {}

void PlannedExchange::prepare() {
  if (setup_) return;
  setup_ = describe_();
  setup_->leaders = &talkers_;
  setup_->from_any_member = others_send_;
  if (others_send_) split_ = inter::split_plan(*setup_->plan);
}

bool PlannedExchange::has_rest() {
  if (has_completed_) return true;
  prepare();
  return !others_send_ || !split_.rest.ops.empty();
}

void PlannedExchange::complete() {
  if (talks_ || !others_send_) {
    has_completed_ = talks_;
    meeting_.arrive(talks_ ? 0 : everything_, kComplete);
    return;
  }
  prepare();
  const inter::ByteRange& copied = split_.copied;
  if (copied.bytes != 0) {
    copy_ = inter::KeptBytes(copied.bytes);
    std::memcpy(copy_.data(), setup_->buffer + copied.offset, copied.bytes);
  }
  // The talker first: it wakes up while this member sends.
  meeting_.arrive(everything_, kComplete);
  if (!split_.first.ops.empty()) send_first();
}

void PlannedExchange::send_first() {
  NodeExchange::Setup sends = *setup_;
  sends.plan = &split_.first;
  if (split_.copied.bytes != 0) {
    sends.buffer = copy_.data();
    sends.bytes = copy_.size();
  }
  exchange_.emplace(container_, meeting_.sequence(), sends);
}

// The node's data are complete.
void PlannedExchange::start_talking() {
  prepare();
  NodeExchange::Setup setup = *setup_;
  if (others_send_ && !has_completed_) setup.plan = &split_.rest;
  exchange_.emplace(container_, meeting_.sequence(), setup);
}

bool PlannedExchange::progress() {
  if (talks_ && !exchange_) {
    if (!meeting_.has_arrived(everything_)) return false;
    start_talking();
    return true;
  }
  return exchange_ && exchange_->progress();
}

}  // namespace mpiactor
