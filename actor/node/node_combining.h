// The vectors of a node's members, combined in the order of the members by those who are awake when
// the last of them comes: short ones by that member alone, long ones in slices, of which it takes
// one after the other, and whoever wakes up helps. So nobody waits for a member that sleeps.
#ifndef MPIACTOR_ACTOR_NODE_NODE_COMBINING_H_
#define MPIACTOR_ACTOR_NODE_NODE_COMBINING_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "actor/container/container.h"
#include "actor/container/progress.h"
#include "actor/node/contributions.h"
#include "actor/node/meeting.h"
#include "actor/reduction/reduction.h"

namespace mpiactor {

class NodeCombining {
 public:
  // Of a request for vectors of `bytes`; the first zeroed_bytes() must be zero.
  static std::uint64_t memory_bytes(std::uint64_t members, std::uint64_t bytes);
  static std::uint64_t zeroed_bytes(std::uint64_t members, std::uint64_t bytes);

  // `memory`: memory_bytes() of the request that `meeting` has taken, in which nothing else is
  // counted.
  NodeCombining(Container& container, Meeting& meeting, const Reduction& reduction,
                std::uint64_t elements, std::byte* memory);

  // The members' vectors, shm::round_to_lines() apart.
  std::byte* vectors() const { return memory_ + zeroed_; }
  // Where this member lays down its one.
  std::byte* own_part() const;

  // This member has. Combines what there is to be combined, to the first of the vectors; returns
  // whether that was the last of it. While this member waits for others, work() does other things
  // and says whether anything came forward, unless idle().
  template <typename Idle, typename Work>
  bool combine(Idle idle, Work work);

 private:
  std::uint64_t slice_begin(std::uint64_t slice) const { return elements_ * slice / slices_; }
  void combine_slice(std::uint64_t slice);
  template <typename Idle, typename Work>
  void wait_for_members(Idle idle, Work work);
  // Slices that have been taken.
  std::atomic<std::uint64_t>& taken() {
    return *reinterpret_cast<std::atomic<std::uint64_t>*>(memory_);
  }

  Container& container_;
  Meeting& meeting_;
  const Reduction& reduction_;
  std::uint64_t elements_;
  std::uint64_t members_;
  std::uint64_t slices_;  // 1: combined by the last to arrive
  std::uint64_t zeroed_;
  std::byte* memory_;
  Contributions contributions_;
};

template <typename Idle, typename Work>
void NodeCombining::wait_for_members(Idle idle, Work work) {
  work_until([this] { return meeting_.is_gathered(); },
             [&] {
               if (!idle()) return work();
               meeting_.wait_gathered();
               return true;
             });
}

template <typename Idle, typename Work>
bool NodeCombining::combine(Idle idle, Work work) {
  const bool is_last = meeting_.arrivals().count() == members_;
  if (slices_ == 1) {
    if (is_last) combine_slice(0);
    return is_last;
  }
  if (is_last) {
    meeting_.publish_gathered();
  } else {
    wait_for_members(idle, work);
  }
  bool has_completed = false;
  // The order does not matter: what the slices need is there.
  for (std::uint64_t slice; (slice = taken().fetch_add(1, std::memory_order_relaxed)) < slices_;) {
    combine_slice(slice);
    has_completed |= meeting_.arrivals().count() == members_ + slices_;
  }
  return has_completed;
}

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_NODE_NODE_COMBINING_H_
