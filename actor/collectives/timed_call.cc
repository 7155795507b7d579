#include "actor/collectives/timed_call.h"

#include <algorithm>
#include <vector>

#include "actor/collectives/hand_over.h"
#include "actor/competition/request_queue.h"
#include "actor/container/world.h"
#include "actor/shm/wait.h"

namespace mpiactor {
namespace {

// By size alone. Measured with 2 ranks on 2 cores: shorter messages stay in the caches, of longer
// ones the root copies one part while the others copy another.
Way fixed_way(const Container& container, std::uint64_t bytes) {
  const bool direct = container.members() == 2 && bytes >= 128 << 10 && bytes <= 512 << 10;
  return direct ? Way::kDirect : Way::kStaged;
}

}  // namespace

bool may_go_either_way(const Container& container, std::uint64_t bytes, bool background) {
  // With more ranks than cores it is turns on a core that decide who is in time.
  const bool in_time = !world()->crowded || !world()->settings.never_worse;
  return bytes >= WayChoice::kShortestBytes && container.single_copy() && in_time &&
         container.members() > 1 && (!background || container.members() == 2) &&
         HandOver::fits(container);
}

TimedCall::TimedCall(Container& container, WayChoice& choice, std::uint64_t bytes, bool background)
    : container_(container), choice_(choice), bytes_(bytes), background_(background) {
  if (world()->settings.single_copy == SingleCopy::kFixed) {
    way_ = fixed_way(container, bytes);
    return;
  }
  hear_of_earlier_calls();
  way_ = choice_.next(bytes);
  begun_ns_ = shm::monotonic_ns();
}

void TimedCall::hear_of_earlier_calls() {
  std::erase_if(choice_.open(), [&](const WayChoice::Open& call) {
    const auto longest_ns = container_.queue().longest_ns(call.sequence);
    if (longest_ns) choice_.took(call.bytes, call.way, std::max(call.own_ns, *longest_ns));
    // Members remember their last times alone.
    const bool forgotten =
        container_.upcoming_sequence() > call.sequence + competition::MemberLine::kTimes;
    return longest_ns || forgotten;
  });
}

std::uint64_t TimedCall::own_ns() const { return shm::monotonic_ns() - begun_ns_; }

void TimedCall::end(std::uint64_t sequence) {
  if (begun_ns_ == 0) return;
  choice_.open().push_back({sequence, bytes_, way_, background_ ? 0 : own_ns()});
}

void TimedCall::end_in_vain() {
  if (begun_ns_ != 0) choice_.took(bytes_, way_, own_ns());
}

void say_time(Container& container, std::uint64_t sequence, std::uint64_t entered_ns) {
  const std::uint64_t begun_ns = container.queue().slot(sequence).description.begun_ns;
  if (begun_ns == 0) return;
  const std::uint64_t now_ns = shm::monotonic_ns();
  container.queue().took(sequence, now_ns - std::min(now_ns, std::max(begun_ns, entered_ns)));
}

}  // namespace mpiactor
