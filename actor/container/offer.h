// A block in one member's memory that another member, the taker, may read for itself (single copy),
// if it comes in time. The giver and the taker both want to decide whether it goes this way: one
// compare-and-swap does. What the giver takes back it moves in another way.
#ifndef MPIACTOR_ACTOR_CONTAINER_OFFER_H_
#define MPIACTOR_ACTOR_CONTAINER_OFFER_H_

#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "actor/competition/request_queue.h"
#include "actor/shm/single_copy.h"

namespace mpiactor {

// Lies in memory that the giver and the taker share; used again by later requests.
class Offer {
 public:
  // Giver: `block` stays as it is until nobody reads any more.
  void open(std::uint64_t sequence, const std::byte* block) {
    address_ = reinterpret_cast<std::uint64_t>(block);
    pid_ = getpid();  // of now: a fork may have changed it
    word_.store(competition::stamp(sequence, kOpen), std::memory_order_release);
  }
  // Giver, or a taker that cannot read: where nobody has claimed it, nobody will.
  void take_back(std::uint64_t sequence) { change(sequence, kOpen, kLeft); }
  // Giver. After is_taken() nobody reads any more.
  bool is_open(std::uint64_t sequence) const { return is(sequence, kOpen); }
  bool is_being_read(std::uint64_t sequence) const { return is(sequence, kReading); }
  bool is_taken(std::uint64_t sequence) const { return is(sequence, kRead); }

  // Taker, when it has seen that there is an offer: false where it comes too late. Else it reads
  // `bytes`, and the giver waits for that. False: the system has refused, and the giver knows it.
  bool claim(std::uint64_t sequence) { return change(sequence, kOpen, kReading); }
  bool read(std::uint64_t sequence, std::byte* to, std::uint64_t bytes) {
    const bool is_read = shm::read_process(pid_, address_, to, bytes);
    // Release: the giver goes on, and its memory may change, only when it sees this.
    word_.store(competition::stamp(sequence, is_read ? kRead : kLeft), std::memory_order_release);
    return is_read;
  }

 private:
  enum State : std::uint64_t {
    kOpen,     // nobody yet
    kReading,  // the taker reads, and the giver must wait
    kRead,     // done
    kLeft,     // goes another way
  };

  bool is(std::uint64_t sequence, State state) const {
    return word_.load(std::memory_order_acquire) == competition::stamp(sequence, state);
  }
  // Whether it was `from` and is `to` now. Acquire: whoever finds it open sees the address.
  bool change(std::uint64_t sequence, State from, State to) {
    std::uint64_t seen = competition::stamp(sequence, from);
    return word_.compare_exchange_strong(seen, competition::stamp(sequence, to),
                                         std::memory_order_acq_rel, std::memory_order_relaxed);
  }

  std::atomic<std::uint64_t> word_{0};  // request and State
  std::uint64_t address_ = 0;           // of the block
  std::int32_t pid_ = 0;                // in which process
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_OFFER_H_
