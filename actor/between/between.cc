#include "actor/between/between.h"

#include <algorithm>
#include <array>
#include <utility>

#include "actor/shm/copy.h"
#include "inter/ways.h"

namespace mpiactor {

bool Between::others_send(const Container& container) {
  return container.is_competitive() && container.nodes().most_members() > 1 &&
         container.nodes().nodes() <= inter::kMostSplitNodes;
}

Between::Between(Container& container, Meeting& meeting, Setup setup)
    : container_(container),
      meeting_(meeting),
      arrivals_(meeting.arrivals()),
      setup_(std::move(setup)),
      leaders_(container.nodes()),
      leads_(is_fixed_leader(container)),
      others_send_(others_send(container)) {
  if (leads_ && others_send_ && !setup_.is_patient) leave_sending();
}

void Between::prepare() {
  if (exchange_) return;
  exchange_ = setup_.describe();
  if (!exchange_->leaders) exchange_->leaders = &leaders_;
  exchange_->from_any_member = others_send_;
  if (!others_send_ && !setup_.combine) return;
  split_ = inter::split_plan(*exchange_->plan);
  rounds_ = inter::find_rounds(split_);
  if (rounds_ && !rounds_->sends.ops.empty() && !setup_.combine) rounds_.reset();
  if (rounds_) split_.rest = {};  // they hold all of it
}

void Between::start(std::optional<NodeExchange>& part, const inter::Plan& plan) {
  NodeExchange::Setup setup = *exchange_;
  setup.plan = &plan;
  part.emplace(container_, meeting_.sequence(), setup);
}

void Between::complete() {
  const competition::Arrivals::State state = arrivals_.complete();
  if (leads_) {
    start_as_leader();
  } else if (state.is_sending_left()) {
    send_for_leader();
  } else {
    return;
  }
  if (rounds_ && state.has_others_part(0)) end_round(0);
}

// Where the node's data are complete, and no other member sends them.
void Between::start_as_leader() {
  is_sending_left_ = false;
  prepare();
  if (!rounds_) {
    start(rest_, *exchange_->plan);
    return;
  }
  if (!split_.first.ops.empty()) start(first_, split_.first);
  if (!rest_) receive();
}

void Between::send_for_leader() {
  prepare();
  if (!rounds_) {
    // Before the leader changes what is sent, it lies in a copy.
    const inter::ByteRange& copied = split_.copied;
    if (copied.bytes != 0) {
      copy_ = inter::KeptBytes(copied.bytes);
      shm::copy_bytes(copy_.data(), exchange_->buffer + copied.offset, copied.bytes);
      exchange_->buffer = copy_.data();
      exchange_->bytes = copied.bytes;
    }
    // The leader wakes up while this member sends.
    arrivals_.let_begin();
  }
  if (!split_.first.ops.empty()) start(first_, split_.first);
}

// Leader: from the beginning, or when it has sent.
void Between::receive() {
  for (std::size_t i = 0; i < rounds_->receives.ops.size(); ++i) {
    missing_bytes_[rounds_->is_first[i] ? 0 : 1] += rounds_->receives.ops[i].bytes;
  }
  NodeExchange::Setup setup = *exchange_;
  setup.plan = &rounds_->receives;
  setup.arrived = [this](std::uint64_t offset, std::uint64_t bytes) {
    count_received(offset, bytes);
  };
  rest_.emplace(container_, meeting_.sequence(), setup);
  const int rounds = rounds_->sends.ops.empty() ? 1 : 2;
  for (int round = 0; round < rounds; ++round) {
    if (missing_bytes_[round] == 0 && arrivals_.add_others_part(round)) end_round(round);
  }
}

void Between::count_received(std::uint64_t offset, std::uint64_t bytes) {
  const auto& ops = rounds_->receives.ops;
  const auto op = std::find_if(ops.begin(), ops.end(), [=](const inter::PlanOp& each) {
    return each.offset <= offset && offset < each.end();
  });
  const int round = rounds_->is_first[static_cast<std::size_t>(op - ops.begin())] ? 0 : 1;
  missing_bytes_[round] -= bytes;
  if (missing_bytes_[round] == 0 && arrivals_.add_others_part(round)) end_round(round);
}

// The node's own part of it and the others' are there.
void Between::end_round(int round) {
  if (round == 0 && setup_.combine) setup_.combine();
  if (round == 0 && !rounds_->sends.ops.empty()) {
    start(second_, rounds_->sends);
    if (!arrivals_.add_own_part(1)) return;
  }
  meeting_.publish_result();
}

// Leader: false where the node's data are complete already.
bool Between::leave_sending() {
  is_sending_left_ = arrivals_.leave_sending();
  if (!is_sending_left_) return false;
  prepare();
  if (rounds_) receive();
  return true;
}

// Leader: begins where the node's data are complete; gives up waiting for them after a while. True
// where it has begun.
bool Between::decide() {
  if (!arrivals_.state().is_complete()) {
    const std::uint64_t now_ns = shm::monotonic_ns();
    if (deadline_ns_ == 0) deadline_ns_ = now_ns + inter::kLeaderPatienceUs * 1000;
    if (now_ns < deadline_ns_) return false;
    if (leave_sending()) return rest_.has_value();
  }
  start_as_leader();
  return true;
}

bool Between::leave_to_others() {
  if (!others_send_ || rest_) return false;
  prepare();
  if (!rounds_ || !rounds_->receives.ops.empty()) return false;
  if (!is_sending_left_) is_sending_left_ = arrivals_.leave_sending();
  return is_sending_left_;
}

bool Between::is_idle() const {
  if (waits_for_data()) return false;
  for (const auto* const part : {&first_, &second_, &rest_}) {
    if (*part && !(*part)->done()) return false;
  }
  return true;
}

void Between::run_for_all() {
  if (arrivals_.count() == static_cast<std::uint64_t>(container_.members())) complete();
  finish_for_all();
}

bool Between::progress() {
  if (leads_ && !rest_) {
    if (waits_for_data()) return decide();
    const competition::Arrivals::State state = arrivals_.state();
    if (is_sending_left_ ? !state.may_begin() : !state.is_complete()) return false;
    prepare();
    is_sending_left_ ? start(rest_, split_.rest) : start_as_leader();
    return true;
  }
  // One of them at a time: each lets the MPI library work, which takes the most of it.
  const std::array parts = {&first_, &second_, &rest_};
  for (std::size_t looks = 0; looks < parts.size(); ++looks) {
    auto& part = *parts[next_part_++ % parts.size()];
    if (part && !part->done()) return part->progress();
  }
  return false;
}

}  // namespace mpiactor
