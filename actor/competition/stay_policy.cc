#include "actor/competition/stay_policy.h"

#include <algorithm>

namespace mpiactor::competition {
namespace {

// The one that leads has seen everybody leave the request in which its record was last written, so
// no order is needed. Where a number comes too late it counts the next time.
constexpr auto kRelaxed = std::memory_order_relaxed;

}  // namespace

void StayPolicy::note_lateness(std::uint64_t late_ns) {
  record_.lateness_ns.fetch_add(late_ns, kRelaxed);
  record_.followers.fetch_add(1, kRelaxed);
}

// As far as is known of when members come. Before anything is known, no.
bool StayPolicy::is_promising() {
  const std::uint64_t lateness_ns = record_.lateness_ns.exchange(0, kRelaxed);
  const std::uint64_t followers = record_.followers.exchange(0, kRelaxed);
  return members_ == 1 ||
         (followers != 0 && lateness_ns <= followers * kMostLateness * most_loss_ns_);
}

std::uint64_t StayPolicy::decide() {
  const bool is_promising = this->is_promising();
  const std::uint64_t loss_ns = record_.loss_ns.exchange(0, kRelaxed);
  const std::uint64_t requests = record_.requests.exchange(0, kRelaxed);
  std::uint64_t length = record_.last_length.load(kRelaxed);
  std::uint64_t pause = record_.pause.load(kRelaxed);
  if (requests != 0 && loss_ns > requests * most_loss_ns_) {
    const std::uint64_t pauses = record_.pauses_in_row.load(kRelaxed);
    record_.pauses_in_row.store(std::min(pauses + 1, kMostDoublings), kRelaxed);
    pause = kFirstPause << pauses;
    length = kFirstLength;
  } else if (requests != 0) {
    record_.pauses_in_row.store(0, kRelaxed);
    length *= kGrowth;
  }
  length = std::clamp(length, kFirstLength, most_length_);
  record_.last_length.store(length, kRelaxed);
  record_.pause.store(pause - std::min<std::uint64_t>(pause, 1), kRelaxed);
  return pause == 0 && is_promising ? length : 0;
}

void StayPolicy::report(std::uint64_t loss_ns) {
  record_.loss_ns.fetch_add(loss_ns, kRelaxed);
  record_.requests.fetch_add(1, kRelaxed);
}

}  // namespace mpiactor::competition
