// What the models of tests/model prove of the queue, as assertions of debug builds, each looked at
// by the member that relies on it. Optimised builds: nothing.
#ifndef MPIACTOR_ACTOR_COMPETITION_ASSERTIONS_H_
#define MPIACTOR_ACTOR_COMPETITION_ASSERTIONS_H_

#include <cinttypes>
#include <cstdint>

#include "actor/competition/request_queue.h"
#include "inter/assertion.h"

namespace mpiactor::competition {

// The member that calls, and the request that it calls for.
struct Caller {
  int member;
  std::uint64_t sequence;
};

// One leader a request: `before` is the leader word that the caller's replaces.
inline void assert_unled([[maybe_unused]] const Caller& caller,
                         [[maybe_unused]] std::uint64_t before) {
  MPIACTOR_ASSERT(before >> kMemberBits < caller.sequence + 1,
                  "member %d leads request %" PRIu64 ", but member %d has led request %" PRIu64
                  " there",
                  caller.member, caller.sequence,
                  static_cast<int>(before & ((1 << kMemberBits) - 1)), (before >> kMemberBits) - 1);
}
inline void assert_unled([[maybe_unused]] const Caller& caller, [[maybe_unused]] const Slot& slot) {
#if MPIACTOR_ASSERTIONS
  assert_unled(caller, slot.leader.load(std::memory_order_relaxed));
#endif
}

// No slot is used again while a member may read it: everyone has left its last request.
inline void assert_unread([[maybe_unused]] const Caller& caller,
                          [[maybe_unused]] const MemberLine* lines, [[maybe_unused]] int members) {
#if MPIACTOR_ASSERTIONS
  if (caller.sequence <= kSlots) return;
  for (int member = 0; member < members; ++member) {
    const std::uint64_t at = sequence_of(lines[member].progress.load());
    MPIACTOR_ASSERT(at > caller.sequence - kSlots,
                    "member %d uses a slot for request %" PRIu64
                    ", but member %d has only left those before %" PRIu64,
                    caller.member, caller.sequence, member, at);
  }
#endif
}

// The same as a reader sees it: the slot still belongs to the request that the caller is in.
inline void assert_not_reused([[maybe_unused]] const Caller& caller,
                              [[maybe_unused]] const Slot& slot) {
#if MPIACTOR_ASSERTIONS
  const std::uint64_t led = slot.leader.load(std::memory_order_relaxed) >> kMemberBits;
  const std::uint64_t published = sequence_of(slot.published.load());
  const std::uint64_t arrived = sequence_of(slot.arrivals.load());
  MPIACTOR_ASSERT(
      led <= caller.sequence + 1 && published <= caller.sequence && arrived <= caller.sequence,
      "member %d is in request %" PRIu64 ", but its slot is led for %" PRId64
      ", published for %" PRIu64 ", arrived at for %" PRIu64,
      caller.member, caller.sequence, static_cast<std::int64_t>(led) - 1, published, arrived);
#endif
}

// Publications of a slot only grow, within the bits of their count.
inline void assert_grows([[maybe_unused]] const Caller& caller,
                         [[maybe_unused]] const shm::WaitWord& word,
                         [[maybe_unused]] std::uint64_t count, [[maybe_unused]] const char* what) {
#if MPIACTOR_ASSERTIONS
  const std::uint64_t before = word.load();
  MPIACTOR_ASSERT(count > 0 && count <= kMaxEntries && stamp(caller.sequence, count) > before,
                  "member %d %s %" PRIu64 " of request %" PRIu64 ", before %" PRIu64
                  " of request %" PRIu64 "; at most %" PRIu64,
                  caller.member, what, count, caller.sequence, entries_of(before),
                  sequence_of(before), kMaxEntries);
#endif
}

// Arrivals are those of this request or of an earlier one, and fit their bits.
inline void assert_countable([[maybe_unused]] const Caller& caller,
                             [[maybe_unused]] std::uint64_t before,
                             [[maybe_unused]] std::uint64_t step) {
#if MPIACTOR_ASSERTIONS
  const std::uint64_t counted = sequence_of(before) == caller.sequence ? entries_of(before) : 0;
  MPIACTOR_ASSERT(
      sequence_of(before) <= caller.sequence && step > 0 && step <= kMaxEntries - counted,
      "member %d arrives at request %" PRIu64 " by %" PRIu64 ", after %" PRIu64
      " of request %" PRIu64 "; at most %" PRIu64,
      caller.member, caller.sequence, step, entries_of(before), sequence_of(before), kMaxEntries);
#endif
}

// What the caller has consumed has been published, and it is in this request.
inline void assert_consumable([[maybe_unused]] const Caller& caller,
                              [[maybe_unused]] const Slot& slot,
                              [[maybe_unused]] std::uint64_t entries) {
#if MPIACTOR_ASSERTIONS
  const std::uint64_t published = slot.published.load();
  MPIACTOR_ASSERT(
      stamp(caller.sequence, entries) <= published && sequence_of(published) == caller.sequence,
      "member %d has consumed %" PRIu64 " entries of request %" PRIu64
      ", but published are %" PRIu64 " of request %" PRIu64,
      caller.member, entries, caller.sequence, entries_of(published), sequence_of(published));
#endif
}

// A member leaves every request, once and in order.
inline void assert_leaves_in_order([[maybe_unused]] const Caller& caller,
                                   [[maybe_unused]] const MemberLine& line) {
#if MPIACTOR_ASSERTIONS
  const std::uint64_t progress = line.progress.load();
  const std::uint64_t at = progress == 0 ? 1 : sequence_of(progress);
  MPIACTOR_ASSERT(at == caller.sequence,
                  "member %d leaves request %" PRIu64 ", but is in request %" PRIu64, caller.member,
                  caller.sequence, at);
#endif
}

}  // namespace mpiactor::competition

#endif  // MPIACTOR_ACTOR_COMPETITION_ASSERTIONS_H_
