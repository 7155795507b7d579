#include "actor/collectives/staying_leaders.h"

#include <algorithm>

#include "actor/competition/request_queue.h"
#include "actor/shm/wait.h"
#include "actor/trace/counters.h"

namespace mpiactor {

StayingLeaders::StayingLeaders(Container& container, std::uint64_t sequence, int root,
                               LeaderPolicy policy)
    : container_(container), sequence_(sequence), root_(root) {
  if (policy != LeaderPolicy::kCompetitive || container.lease_limit() == 0) return;
  const Leases& leases = container.leases();
  opens_ = leases.opens(sequence, root);
  if (opens_ || is_announced_anyway(sequence)) return;
  if (!is_on_roots_node()) holder_ = leases.holder(container.node(), sequence, root);
  stay_ = holder_ >= 0;
}

void StayingLeaders::come() {
  if (is_on_roots_node() || !(lead() || are_sought())) return;
  if (lead()) ++trace::counters().by_lease;
  came_ns_ = shm::monotonic_ns();
  container_.queue().come(sequence_, came_ns_);
}

void StayingLeaders::look() {
  if (container_.policy() != LeaderPolicy::kCompetitive || container_.lease_limit() == 0) return;
  stay_ = !opens_ && !is_announced_anyway(sequence_) && container_.leases().any(sequence_, root_);
}

void StayingLeaders::open() {
  container_.leases().open(sequence_, root_);
  has_opened_ = true;
}

void StayingLeaders::hear(const inter::Announcement& leader) {
  Leases& leases = container_.leases();
  if (leader.sequence != container_.message_number(leases.opened())) return;
  leases.add(leader.node, leader.rank, leader.stays);
}

std::uint64_t StayingLeaders::decide() {
  if (are_sought() && !decided_) decided_ = container_.stay_policy().decide();
  const std::uint64_t requests = are_sought() ? *decided_ : 0;
  container_.queue().slot(sequence_).description.stays = requests;
  return requests;
}

void StayingLeaders::note_message() {
  if (are_sought()) {
    container_.queue().slot(sequence_).description.there_ns = shm::monotonic_ns();
  } else if (lead() && came_ns_ != 0) {
    // Who had to wait for the message itself has held back nobody.
    constexpr std::uint64_t kWaitNs = 50'000;
    const bool has_waited = shm::monotonic_ns() - came_ns_ > kWaitNs;
    container_.stay_policy().report(
        has_waited ? 0 : container_.queue().mean_wait_ns(sequence_, came_ns_));
  }
}

void StayingLeaders::leave() {
  if (!is_short_ || container_.lease_limit() == 0) return;
  Leases& leases = container_.leases();
  leases.note(root_);
  if (!opens_) return;
  if (!has_opened_) leases.open(sequence_, root_);
  if (is_on_roots_node()) return;
  competition::RequestQueue& queue = container_.queue();
  const competition::Description& description = queue.slot(sequence_).description;
  const int leader = queue.leader_of(sequence_);
  const inter::RankList members = container_.nodes().members(container_.node());
  leases.add(container_.node(), members[static_cast<std::size_t>(leader)], description.stays);
  if (leader == container_.member()) return;
  const std::uint64_t there_ns = std::min(description.there_ns, came_ns_);
  container_.stay_policy().note_lateness(came_ns_ - there_ns);
}

}  // namespace mpiactor
