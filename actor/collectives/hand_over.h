// Memory of one member of a node, the giver, that the others read for themselves in one request, as
// far as they are there in time (single copy).
//
// The giver and each other member both want to decide whether that member's bytes go this way: one
// compare-and-swap does, on a word of that member's. What nobody has claimed in the time that
// staging would cost the giver claims itself, and moves it in another way.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_HAND_OVER_H_
#define MPIACTOR_ACTOR_COLLECTIVES_HAND_OVER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "actor/container/container.h"

namespace mpiactor {

// Polls until done().
void poll_until(const std::function<bool()>& done);
// The same, not longer than staging `bytes` would take: how long a giver waits for late takers.
void poll_in_time(const std::function<bool()>& done, std::uint64_t bytes);

class HandOver {
 public:
  // The lines lie in the request's slot. Only in containers for which fits().
  HandOver(Container& container, std::uint64_t sequence);
  // Whether the node's members are few enough.
  static bool fits(const Container& container);

  // Giver, which leads the request: the others may read from `memory` on, until close() has
  // returned; nullptr: nothing can be read.
  void offer(const std::byte* memory);
  // Giver: waits until every other member has decided, not longer than staging `bytes` would take,
  // then for those who still read, and tells all how it ended. Returns whether some have not got
  // their bytes: they come in the requests that follow.
  bool close(std::uint64_t bytes);
  // Giver, after that.
  bool is_left(int member) const { return state(member) == kLeft; }

  // Another member: waits for the offer, reads `bytes` from `offset` of the memory of member
  // `giver`. False: it is too late for that, there is nothing to be read (or nowhere to put it:
  // `to` is nullptr), or the system has refused.
  bool take(int giver, std::uint64_t offset, std::uint64_t bytes, std::byte* to);
  // Another member, with what take() has returned: what close() returns.
  //
  // Who has its bytes must see the next request published before it leaves it, too: it may be the
  // next to take staging, and must know what others have taken.
  bool any_left(bool has_taken);

 private:
  // Of the request: that there is something to be read, and how it ended.
  enum Publication : std::uint64_t { kOffered = 1, kAllTaken = 2, kSomeLeft = 3 };
  enum State : std::uint64_t {
    kOpen,     // nothing yet
    kReading,  // the member reads, and the giver must wait
    kRead,     // done
    kLeft,     // goes another way
  };
  struct Line {
    std::atomic<std::uint64_t> word;  // a State
    std::uint64_t address;            // the giver's: of what may be read, and in which process
    std::int32_t pid;
    std::byte apart[40];  // no two words share a cache line
  };
  static_assert(sizeof(Line) == 64);

  // Acquire: the address that was offered; after kRead nobody reads any more.
  State state(int member) const {
    return static_cast<State>(lines_[member].word.load(std::memory_order_acquire));
  }
  // Whether it was `from` and is `to` now.
  bool change(int member, State from, State to);
  template <typename Holds>
  bool all_others(Holds holds) const;

  Container& container_;
  std::uint64_t sequence_;
  Line* lines_;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_HAND_OVER_H_
