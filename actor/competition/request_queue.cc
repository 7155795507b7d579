#include "actor/competition/request_queue.h"

#include <algorithm>

#include "actor/competition/assertions.h"

namespace mpiactor::competition {

std::size_t RequestQueue::bytes_needed(int members) {
  return kSlots * sizeof(Slot) +
         static_cast<std::size_t>(members) * (sizeof(MemberLine) + kSlots * sizeof(SignedPart));
}

RequestQueue::RequestQueue(std::byte* memory, int members, int me, const shm::WaitPolicy& wait)
    : slots_(reinterpret_cast<Slot*>(memory)),
      lines_(reinterpret_cast<MemberLine*>(memory + kSlots * sizeof(Slot))),
      signed_parts_(reinterpret_cast<SignedPart*>(lines_ + members)),
      members_(members),
      me_(me),
      wait_(wait) {
  MPIACTOR_ASSERT(me >= 0 && me < members && members < 1 << kMemberBits, "member %d of %d", me,
                  members);
}

bool RequestQueue::is_free(std::uint64_t sequence) {
  if (sequence <= kSlots) return true;  // first use of the slot: requests count from 1
  // The others' lines are looked at once in a while: each look takes them away from their writers.
  if (known_left_by_all_ > sequence - kSlots) return true;
  return left_by_all() > sequence - kSlots;
}

void RequestQueue::wait_free(std::uint64_t sequence) {
  if (!is_free(sequence)) {
    ++back_pressure_waits_;
    wait_left_by_all(sequence - kSlots + 1);
  }
  assert_unread({me_, sequence}, lines_, members_);
}

void RequestQueue::lead(std::uint64_t sequence) {
  wait_free(sequence);
  assert_unled({me_, sequence}, slot(sequence));
  // Nobody else writes the word of this request; those who compare it do so for debugging alone.
  slot(sequence).leader.store(leader_word(sequence, me_), std::memory_order_relaxed);
}

Role RequestQueue::compete(std::uint64_t sequence) {
  std::atomic<std::uint64_t>& leader = slot(sequence).leader;
  // Relaxed is enough to lose: a follower reads data only after it saw `published` (acquire).
  std::uint64_t word = leader.load(std::memory_order_relaxed);
  if (is_of(word, sequence)) return Role::kFollower;
  // Before the slot is free nobody can win; whoever gets here first may have to wait for the
  // slowest member, and competes when the slot is free.
  wait_free(sequence);
  word = leader.load(std::memory_order_relaxed);
  while (!is_of(word, sequence)) {
    // Acquire-release: the winner writes the slot after every reader of its last use has left
    // (is_free read their lines with acquire); the next winner sees this one's word.
    if (leader.compare_exchange_weak(word, leader_word(sequence, me_), std::memory_order_acq_rel,
                                     std::memory_order_relaxed)) {
      assert_unled({me_, sequence}, word);
      return Role::kLeader;
    }
  }
  return Role::kFollower;
}

void RequestQueue::publish(std::uint64_t sequence, std::uint64_t entries, bool wake) {
  assert_grows({me_, sequence}, slot(sequence).published, entries, "publishes entry");
  slot(sequence).published.publish(stamp(sequence, entries), wake);
}

std::uint64_t RequestQueue::wait_published(std::uint64_t sequence, std::uint64_t seen) {
  const std::uint64_t value =
      shm::wait_until(slot(sequence).published, wait_, [=](std::uint64_t published) {
        return sequence_of(published) == sequence && entries_of(published) > seen;
      });
  return entries_of(value);
}

std::uint64_t RequestQueue::arrive(std::uint64_t sequence, std::uint64_t wake_at,
                                   std::uint64_t step) {
  shm::WaitWord& arrivals = slot(sequence).arrivals;
  std::uint64_t seen = arrivals.value.load(std::memory_order_relaxed);
  std::uint64_t now = 0;
  do {
    assert_countable({me_, sequence}, seen, step);
    now = sequence_of(seen) == sequence ? seen + step : stamp(sequence, step);
    // Release: what this member has contributed. Acquire: the last to arrive sees it all.
  } while (!arrivals.value.compare_exchange_weak(seen, now, std::memory_order_acq_rel,
                                                 std::memory_order_relaxed));
  const std::uint64_t count = entries_of(now);
  if (count == wake_at) arrivals.wake();
  return count;
}

void RequestQueue::sign(std::uint64_t sequence, std::uint64_t phase) {
  shm::WaitWord& signature = signed_parts(sequence)[me_].signature;
  assert_grows({me_, sequence}, signature, phase, "signs phase");
  signature.publish(stamp(sequence, phase));
}

void RequestQueue::wait_all_signed(std::uint64_t sequence, std::uint64_t phase) {
  for (int member = 0; member < members_; ++member) {
    if (member == me_) continue;
    shm::wait_until(signed_parts(sequence)[member].signature, wait_,
                    [=](std::uint64_t value) { return value >= stamp(sequence, phase); });
  }
}

std::uint64_t RequestQueue::arrivals(std::uint64_t sequence) {
  const std::uint64_t seen = slot(sequence).arrivals.load();
  return sequence_of(seen) == sequence ? entries_of(seen) : 0;
}

bool RequestQueue::has_arrived(std::uint64_t sequence, std::uint64_t arrivals) {
  return slot(sequence).arrivals.load() >= stamp(sequence, arrivals);
}

void RequestQueue::wait_arrived(std::uint64_t sequence, std::uint64_t arrivals) {
  shm::wait_until(slot(sequence).arrivals, wait_,
                  [=](std::uint64_t value) { return value >= stamp(sequence, arrivals); });
}

void RequestQueue::consumed(std::uint64_t sequence, std::uint64_t entries) {
  assert_grows({me_, sequence}, lines_[me_].progress, entries, "consumes entry");
  assert_consumable({me_, sequence}, slot(sequence), entries);
  lines_[me_].progress.publish(stamp(sequence, entries));
}

void RequestQueue::leave(std::uint64_t sequence) {
  assert_leaves_in_order({me_, sequence}, lines_[me_]);
  assert_not_reused({me_, sequence}, slot(sequence));
  lines_[me_].progress.publish(stamp(sequence + 1, 0));
}

bool RequestQueue::members_reached(std::uint64_t wanted) {
  for (int member = 0; member < members_; ++member) {
    // Acquire (in load): the member has read the chunk that the caller is about to overwrite.
    if (member != me_ && lines_[member].progress.load() < wanted) return false;
  }
  return true;
}

void RequestQueue::wait_members(std::uint64_t wanted) {
  for (int member = 0; member < members_; ++member) {
    if (member == me_) continue;
    shm::wait_until(lines_[member].progress, wait_,
                    [=](std::uint64_t progress) { return progress >= wanted; });
  }
}

std::uint64_t RequestQueue::left_by_all() {
  // Acquire (in load): what a member read of its last request was read before it left.
  std::uint64_t least = ~std::uint64_t{0};
  for (int member = 0; member < members_; ++member) {
    least = std::min(least, sequence_of(lines_[member].progress.load()));
  }
  known_left_by_all_ = least;
  return least;
}

void RequestQueue::wait_left_by_all(std::uint64_t sequence) {
  if (known_left_by_all_ >= sequence) return;
  wait_members(stamp(sequence, 0));
  left_by_all();
}

void RequestQueue::wait_one_more_left(std::uint64_t seen) {
  ++back_pressure_waits_;
  wait_left_by_all(seen + 1);
}

Claim RequestQueue::check(std::uint64_t sequence, const Claim& mine) {
  wait_free(sequence);  // a slow member may still have to compare the slot's last request
  Slot& here = slot(sequence);
  // 0 -> writing -> written, for this sequence: stamp(sequence, 1) and stamp(sequence, 2).
  std::uint64_t seen = here.claim_stamp.load(std::memory_order_acquire);
  while (sequence_of(seen) != sequence) {
    if (here.claim_stamp.compare_exchange_weak(seen, stamp(sequence, 1),
                                               std::memory_order_acquire)) {
      here.claim = mine;
      here.claim_stamp.store(stamp(sequence, 2), std::memory_order_release);
      return mine;
    }
  }
  shm::work_until(
      wait_, [&] { return here.claim_stamp.load(std::memory_order_acquire) == stamp(sequence, 2); },
      [] { return false; });
  return here.claim;
}

}  // namespace mpiactor::competition
