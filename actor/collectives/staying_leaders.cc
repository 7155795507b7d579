#include "actor/collectives/staying_leaders.h"

#include <algorithm>

#include "actor/collectives/request_leaders.h"
#include "actor/competition/request_queue.h"
#include "actor/shm/wait.h"
#include "actor/trace/counters.h"

namespace mpiactor {

void StayingLeaders::look() {
  Leases& leases = container_.leases();
  are_sought_ = leases.opens(sequence_, root_);
  if (are_sought_) leases.open(sequence_, root_);
  if (is_announced_anyway(sequence_)) return;
  lead_ = container_.rank() == root_ ? leases.any(sequence_, root_)
                                     : leases.holder(container_.node(), sequence_, root_) >= 0;
}

void StayingLeaders::come() {
  if (lead_) ++trace::counters().by_lease;
  if (!(lead_ || are_sought_) || is_on_roots_node()) return;
  came_ns_ = shm::monotonic_ns();
  container_.queue().come(sequence_, came_ns_);
}

std::uint64_t StayingLeaders::decide() {
  const std::uint64_t requests = are_sought_ ? container_.stay_policy().decide() : 0;
  container_.queue().slot(sequence_).description.stays = requests;
  return requests;
}

void StayingLeaders::note_message() {
  if (are_sought_) {
    container_.queue().slot(sequence_).description.there_ns = shm::monotonic_ns();
  } else if (lead_) {
    // Who had to wait for the message itself has held back nobody.
    constexpr std::uint64_t kWaitNs = 50'000;
    const bool has_waited = shm::monotonic_ns() - came_ns_ > kWaitNs;
    container_.stay_policy().report(
        has_waited ? 0 : container_.queue().mean_wait_ns(sequence_, came_ns_));
  }
}

void StayingLeaders::leave() {
  if (!are_sought_ || is_on_roots_node()) return;
  competition::RequestQueue& queue = container_.queue();
  const competition::Description& description = queue.slot(sequence_).description;
  const int leader = queue.leader_of(sequence_);
  const inter::RankList members = container_.nodes().members(container_.node());
  container_.leases().add(container_.node(), members[static_cast<std::size_t>(leader)],
                          description.stays);
  if (leader == container_.member()) return;
  const std::uint64_t there_ns = std::min(description.there_ns, came_ns_);
  container_.stay_policy().note_lateness(came_ns_ - there_ns);
}

}  // namespace mpiactor
