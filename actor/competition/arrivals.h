// What the members of a node say to each other in a request to which all of them contribute, in one
// word (Slot::arrivals). Of several that act on it at the same time exactly one does what is to be
// done, since each change of the word tells what was said before.
//
// One member, the leader, receives what other nodes have. Who sends the node's own data, is settled
// between the leader and whoever completes them:
//
//   the leader sees that they are complete: it sends
//   it leaves sending first: whoever completes them sends, while the leader may sleep
//
// What comes from other nodes may have to take the place of what is sent. Then the leader waits
// until the sender has a copy and says that the leader may begin. Else the leader takes it in from
// the beginning. In each of up to kRounds rounds the node's own part and the others' must both be
// there; whoever brings the second of them goes on. The first round's own part are the node's data.
#ifndef MPIACTOR_ACTOR_COMPETITION_ARRIVALS_H_
#define MPIACTOR_ACTOR_COMPETITION_ARRIVALS_H_

#include <cstdint>

#include "actor/competition/request_queue.h"
#include "actor/shm/wait.h"

namespace mpiactor::competition {

// A member's view of one request.
class Arrivals {
 public:
  static constexpr int kRounds = 2;

 private:
  static constexpr int kCountBits = 14;
  static constexpr std::uint64_t kComplete = std::uint64_t{1} << kCountBits;
  static constexpr std::uint64_t kSendingLeft = kComplete << 1;
  static constexpr std::uint64_t kMayBegin = kComplete << 2;
  // Of each round.
  static constexpr std::uint64_t kOthersPart[kRounds] = {kComplete << 3, kComplete << 4};
  static constexpr std::uint64_t kOwnPart[kRounds] = {kComplete, kComplete << 5};
  static_assert(kOwnPart[1] <= kMaxEntries);

 public:
  // Of a node, and, with what else is counted, in all.
  static constexpr int kMostMembers = 1 << (kCountBits - 1);
  static constexpr std::uint64_t kMostCounted = kComplete - 1;

  // What was said by some moment.
  class State {
   public:
    explicit State(std::uint64_t word) : word_(word) {}
    std::uint64_t counted() const { return word_ & kMostCounted; }
    bool is_complete() const { return has(kComplete); }
    bool is_sending_left() const { return has(kSendingLeft); }
    bool may_begin() const { return has(kMayBegin); }
    bool has_others_part(int round) const { return has(kOthersPart[round]); }
    bool has_own_part(int round) const { return has(kOwnPart[round]); }

   private:
    bool has(std::uint64_t bit) const { return (word_ & bit) != 0; }
    std::uint64_t word_;
  };

  Arrivals(RequestQueue& queue, std::uint64_t sequence) : queue_(queue), sequence_(sequence) {}

  State state() { return State(queue_.arrivals(sequence_)); }

  // A member has laid down what it contributes, or has done some other part of the node's work.
  // Returns how many have. Wakes at `wake_at` those who wait for it in the queue.
  std::uint64_t count(std::uint64_t wake_at = 0) {
    return State(queue_.arrive(sequence_, wake_at)).counted();
  }

  // The node's data are complete. One member says so.
  State complete() { return say(kComplete); }
  // Leader: whoever completes the node's data sends them. False: they are complete already.
  bool leave_sending() { return !say(kSendingLeft).is_complete(); }
  void wait_complete() {
    wait([](State state) { return state.is_complete(); });
  }
  // Not much beyond `end_ns`.
  void wait_complete_until(std::uint64_t end_ns) {
    wait([=](State state) { return state.is_complete() || shm::monotonic_ns() >= end_ns; });
  }

  // Whoever sends for the leader: what is sent lies in a copy.
  void let_begin() { say(kMayBegin); }
  void wait_may_begin() {
    wait([](State state) { return state.may_begin(); });
  }

  // Leader: what other nodes have for this round is there. True where both parts are now.
  bool add_others_part(int round) { return say(kOthersPart[round]).has_own_part(round); }
  // The node's own part of a later round than the first. The same.
  bool add_own_part(int round) { return say(kOwnPart[round]).has_others_part(round); }

 private:
  // Each member says each thing at most once.
  State say(std::uint64_t bit) {
    const State now(queue_.arrive(sequence_, 0, bit));
    queue_.wake_arrivals(sequence_);
    return now;
  }
  template <typename Holds>
  void wait(Holds holds) {
    queue_.wait_arrivals(sequence_, [=](std::uint64_t word) { return holds(State(word)); });
  }

  RequestQueue& queue_;
  std::uint64_t sequence_;
};

}  // namespace mpiactor::competition

#endif  // MPIACTOR_ACTOR_COMPETITION_ARRIVALS_H_
