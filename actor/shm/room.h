// Where a member that waits for bytes, the taker, wants them. Whoever has them, the giver, may
// write them there (single copy), if the taker has come by then. Nobody waits for anybody: the
// taker waits for the bytes anyway, and a giver that comes first moves them in another way.
#ifndef MPIACTOR_ACTOR_SHM_ROOM_H_
#define MPIACTOR_ACTOR_SHM_ROOM_H_

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "actor/shm/single_copy.h"
#include "actor/shm/wait.h"

namespace mpiactor::shm {

// Lies in memory that the two share; used again in later requests, which count from 1.
class Room {
 public:
  // Taker: `to` has room for `bytes`, and is the giver's till that says that the bytes are there.
  void open(std::uint64_t sequence, std::byte* to, std::uint64_t bytes) {
    address_ = reinterpret_cast<std::uint64_t>(to);
    bytes_ = bytes;
    pid_ = getpid();  // of now: a fork may have changed it
    sequence_.store(sequence, std::memory_order_release);
  }
  // Giver: writes as many of `bytes` as there is room for. False: the taker has not come, or the
  // system has refused; the bytes go another way. `waits`: for the taker, less than another copy
  // would take.
  bool fill(std::uint64_t sequence, const std::byte* from, std::uint64_t bytes, bool waits) const {
    constexpr std::uint64_t kBytesPerNs = 16;
    return has_come(sequence, waits ? bytes / kBytesPerNs : 0) &&
           write_process(pid_, address_, from, std::min(bytes, bytes_));
  }

 private:
  bool has_come(std::uint64_t sequence, std::uint64_t within_ns) const {
    const auto is_open = [&] { return sequence_.load(std::memory_order_acquire) == sequence; };
    if (is_open() || within_ns == 0) return is_open();
    const std::uint64_t end_ns = monotonic_ns() + within_ns;
    while (!is_open() && monotonic_ns() < end_ns) cpu_relax();
    return is_open();
  }

  std::atomic<std::uint64_t> sequence_{0};
  std::uint64_t address_ = 0;
  std::uint64_t bytes_ = 0;
  std::int32_t pid_ = 0;
};

}  // namespace mpiactor::shm

#endif  // MPIACTOR_ACTOR_SHM_ROOM_H_
