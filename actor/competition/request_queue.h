// The queue of collective requests that the members of a node share, and the election of a leader.
//
// A request is one collective call of a communicator on a node, known by its sequence number, which
// every member counts for itself. Request s uses slot s % kSlots. All state is in shared memory,
// starts as zeros, and works without locks: a process that dies holds nothing.
//
//   election   one compare-and-swap on Slot::leader, a word of sequence and member
//   arrivals   where all members contribute, each counts itself in (Slot::arrivals: sequence and
//              count); the last one to arrive knows that everything is there
//   data       the leader fills the slot's description and inline bytes, then publishes how many
//              entries are there (Slot::published: sequence and count)
//   release    a member that is done with request s says so in its own line; slot s % kSlots is
//              free for request s + kSlots when every member has left s
//
// Source: get_coll_request_ptr of [CP] Fig. 10, whose mutex is replaced by the compare-and-swap.
#ifndef MPIACTOR_ACTOR_COMPETITION_REQUEST_QUEUE_H_
#define MPIACTOR_ACTOR_COMPETITION_REQUEST_QUEUE_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "actor/shm/cache_line.h"
#include "actor/shm/room.h"
#include "actor/shm/wait.h"
#include "inter/push.h"
#include "inter/served_nodes.h"

namespace mpiactor::competition {

inline constexpr std::uint64_t kSlots = 32;
inline constexpr std::size_t kInlineBytes = 2048;  // messages up to this size live in their slot

// A word of request sequence and number of entries: 44 + 20 bits, so a communicator can carry
// 1.7e13 requests of up to a million entries.
inline constexpr int kEntryBits = 20;
inline constexpr std::uint64_t kMaxEntries = (std::uint64_t{1} << kEntryBits) - 1;
constexpr std::uint64_t stamp(std::uint64_t sequence, std::uint64_t entries) {
  return sequence << kEntryBits | entries;
}
constexpr std::uint64_t sequence_of(std::uint64_t stamp) { return stamp >> kEntryBits; }
constexpr std::uint64_t entries_of(std::uint64_t stamp) { return stamp & kMaxEntries; }

// Slot::leader: sequence + 1 (0: never led) and member.
inline constexpr int kMemberBits = 16;
constexpr std::uint64_t leader_word(std::uint64_t sequence, int member) {
  return (sequence + 1) << kMemberBits | static_cast<std::uint64_t>(member);
}
constexpr int member_of(std::uint64_t leader) {
  return static_cast<int>(leader & ((std::uint64_t{1} << kMemberBits) - 1));
}
constexpr bool is_of(std::uint64_t leader, std::uint64_t sequence) {
  return leader >> kMemberBits == sequence + 1;
}

// What the leader says of a request. Plain memory: written before the first publication of the
// request, read after it.
struct Description {
  std::uint64_t sequence = 0;        // of the request; any other: left over from an earlier one
  std::uint64_t bytes = 0;           // of the message
  std::uint64_t staging_offset = 0;  // payload in the container's staging
  std::uint64_t staging_bytes = 0;   // 0: the message is inline
  std::uint64_t log_offset = 0;      // array of Entry in staging
  std::uint64_t window_entries = 0;  // 0: staging holds the whole message, else a ring of chunks
  bool is_in_room = false;           // written where the other member wants it (MemberLine::room)
  std::uint64_t chunk_bytes = 0;     // of the ring
  // Of which every possible leader got a copy, see inter/engine.h.
  std::uint64_t copied_receives = 0;
  inter::Push push = inter::Push::kToAll;
  // Of a short message: when it was there, and when the leader came if that was later.
  std::chrono::steady_clock::time_point short_at = {};
  std::chrono::steady_clock::time_point leader_came_after = {};
};

// A byte range of the message that has arrived. In a ring, entry k lies in chunk k %
// window_entries.
struct Entry {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

// What a member believes of a request, for MPIACTOR_CHECK.
struct Claim {
  std::uint64_t bytes = 0;
  std::int32_t operation = 0;
  std::int32_t root = 0;
  std::int32_t rank = 0;
};

struct Slot {
  // Written by candidates, once a request; followers of other kinds do not read it.
  alignas(shm::kCacheLine) std::atomic<std::uint64_t> leader{0};
  Claim claim;
  std::atomic<std::uint64_t> claim_stamp{0};
  // Written by the leader alone. Short messages share its line.
  alignas(shm::kCacheLine) shm::WaitWord published;
  Description description;
  // Aligned as a program's reduction may want its operands.
  alignas(std::max_align_t) std::byte inline_bytes[kInlineBytes];
  // Counted up by members as they arrive: stamp(sequence, arrivals).
  alignas(shm::kCacheLine) shm::WaitWord arrivals;
  // Of a broadcast: who serves the nodes below. Cleared before it is published.
  inter::ServedNodes served;
};

// One a member, written by that member alone.
struct MemberLine {
  // stamp(requests left, entries consumed of the current one)
  alignas(shm::kCacheLine) shm::WaitWord progress;
  shm::Room room;  // of a broadcast: where it wants the message
};

// One a member and slot, written by that member alone. What is short lies beside the signature that
// says that it is there, so that it comes with it.
struct alignas(shm::kCacheLine) SignedPart {
  static constexpr std::size_t kBytes = shm::kCacheLine - sizeof(shm::WaitWord);

  // stamp(request, phases of it that this member has ended)
  shm::WaitWord signature;
  alignas(std::max_align_t) std::byte bytes[kBytes];
};
static_assert(sizeof(SignedPart) == shm::kCacheLine);

enum class Role { kLeader, kFollower };

// A member's view of the queue. One thread at a time.
class RequestQueue {
 public:
  static std::size_t bytes_needed(int members);

  // `memory`: bytes_needed(members), zeroed before its first use by anyone.
  RequestQueue(std::byte* memory, int members, int me, const shm::WaitPolicy& wait);

  // Leader known beforehand (the root, or the static leader): waits until the slot is free, takes
  // it. Only that member calls it.
  void lead(std::uint64_t sequence);
  // Competes with the other candidates: the first to arrive leads.
  Role compete(std::uint64_t sequence);

  // The member that leads; somebody does, or has led.
  int leader(std::uint64_t sequence) {
    return member_of(slot(sequence).leader.load(std::memory_order_relaxed));
  }

  Slot& slot(std::uint64_t sequence) { return slots_[sequence % kSlots]; }
  // Of member 0; the others' follow.
  SignedPart* signed_parts(std::uint64_t sequence) {
    return signed_parts_ + sequence % kSlots * static_cast<std::uint64_t>(members_);
  }

  // Leader: `entries` entries of the request are there. Those who sleep need not be woken for each,
  // as long as they are woken for the last.
  void publish(std::uint64_t sequence, std::uint64_t entries, bool wake = true);
  // Follower: waits until more than `seen` entries are there; returns how many.
  std::uint64_t wait_published(std::uint64_t sequence, std::uint64_t seen);
  // How many are there by now.
  std::uint64_t published(std::uint64_t sequence) {
    const std::uint64_t value = slot(sequence).published.load();
    return sequence_of(value) == sequence ? entries_of(value) : 0;
  }

  // Whether every member has left the slot's last request.
  bool is_free(std::uint64_t sequence);
  // Before this member touches a slot that nobody leads: waits until it is free.
  void enter(std::uint64_t sequence) { wait_free(sequence); }
  // Counts this member in, by `step`; returns what has been counted till now. Those who wait are
  // woken when the count becomes `wake_at`.
  std::uint64_t arrive(std::uint64_t sequence, std::uint64_t wake_at, std::uint64_t step = 1);
  // The same without a count: this member has ended phase `phase` (1, 2, ...) of the request.
  // Quicker than arrive() where members spin, since nobody writes a word that others write.
  void sign(std::uint64_t sequence, std::uint64_t phase);
  void wait_all_signed(std::uint64_t sequence, std::uint64_t phase);

  // What has been counted till now.
  std::uint64_t arrivals(std::uint64_t sequence);
  bool has_arrived(std::uint64_t sequence, std::uint64_t arrivals);
  void wait_arrived(std::uint64_t sequence, std::uint64_t arrivals);
  // The same, until holds(what has been counted till now).
  template <typename Holds>
  void wait_arrivals(std::uint64_t sequence, Holds holds) {
    shm::wait_until(slot(sequence).arrivals, wait_, [=](std::uint64_t word) {
      return holds(sequence_of(word) == sequence ? entries_of(word) : 0);
    });
  }
  // Whoever waits for them looks again.
  void wake_arrivals(std::uint64_t sequence) { slot(sequence).arrivals.wake(); }

  // This member has consumed so many entries of the current request (rings only).
  void consumed(std::uint64_t sequence, std::uint64_t entries);
  // Where `member` wants the message of a broadcast.
  shm::Room& room(int member) { return lines_[member].room; }
  // This member has left the request.
  void leave(std::uint64_t sequence);
  // Whether every other member's progress has reached `stamp`.
  bool members_reached(std::uint64_t stamp);
  // Waits until it has.
  void wait_members(std::uint64_t stamp);

  // Requests that every member has left: all with a sequence below this.
  std::uint64_t left_by_all();
  // Requests that every member has left, waiting until that is at least `sequence`.
  void wait_left_by_all(std::uint64_t sequence);
  // Leader that needs staging: waits until the slowest member has left one request more than
  // `seen`, what left_by_all() said when there was no room. Not more than what it says now: that
  // may be the leader's own request by then, which nobody can leave before it.
  void wait_one_more_left(std::uint64_t seen);

  // What the first member believes of the request; `mine` where that is this one.
  Claim check(std::uint64_t sequence, const Claim& mine);

  // How often this member had to wait for a slow one before it could take a slot or staging.
  std::uint64_t back_pressure_waits() const { return back_pressure_waits_; }

 private:
  void wait_free(std::uint64_t sequence);

  Slot* slots_;
  MemberLine* lines_;
  SignedPart* signed_parts_;
  int members_;
  int me_;
  const shm::WaitPolicy& wait_;
  std::uint64_t known_left_by_all_ = 0;
  std::uint64_t back_pressure_waits_ = 0;
};

}  // namespace mpiactor::competition

#endif  // MPIACTOR_ACTOR_COMPETITION_REQUEST_QUEUE_H_
