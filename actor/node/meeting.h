// A request to which all members of a node contribute: each counts itself in, and the last one to
// arrive knows that everything is there.
#ifndef MPIACTOR_ACTOR_NODE_MEETING_H_
#define MPIACTOR_ACTOR_NODE_MEETING_H_

#include <cstddef>
#include <cstdint>

#include "actor/competition/arrivals.h"
#include "actor/container/container.h"
#include "actor/container/progress.h"
#include "actor/shm/cache_line.h"

namespace mpiactor {

// One member's part in it. Memory is the slot's own where it is enough; else the first member to
// arrive takes staging for all.
class Meeting {
 public:
  // Takes the communicator's next request, with `bytes` of memory in common; at most
  // Container::work_bytes(), equal on all members.
  // The first `zeroed` of them are zero before anybody has them; only where they do not lie in the
  // slot.
  Meeting(Container& container, std::uint64_t bytes, std::uint64_t zeroed = 0);
  // With a part of so many bytes for each member, in lines of its own.
  struct Parts {
    std::uint64_t bytes = 0;
  };
  Meeting(Container& container, Parts parts);
  Meeting(const Meeting&) = delete;
  Meeting& operator=(const Meeting&) = delete;

  std::uint64_t sequence() const { return sequence_; }
  std::byte* memory() const { return memory_; }
  // Of a meeting with parts: bytes from a member's to the next one's.
  std::uint64_t stride() const { return stride_; }
  std::byte* part(int member) const {
    return memory_ + static_cast<std::uint64_t>(member) * stride_;
  }
  // Whether a part comes with its member's signature.
  static constexpr bool comes_signed(Parts parts) {
    return parts.bytes <= competition::SignedPart::kBytes;
  }

  // Everything that this member has written is there for those who see its arrival. Returns how
  // many arrivals there are; a member may arrive several times. Waiters are woken at `wake_at`.
  std::uint64_t arrive(std::uint64_t wake_at) {
    return container_.queue().arrive(sequence_, wake_at);
  }
  // What members say instead where the request has a part between nodes.
  competition::Arrivals arrivals() { return {container_.queue(), sequence_}; }
  void wait_arrived(std::uint64_t arrivals) {
    container_.queue().wait_arrived(sequence_, arrivals);
  }

  // Without an end, doing other work meanwhile: work() returns whether anything came forward.
  template <typename Work>
  void wait_arrived(std::uint64_t arrivals, Work work) {
    work_until([&] { return has_arrived(arrivals); }, work);
  }

  // Where nobody has to know that it is the last: this member has ended phase `phase` (1, 2, ...)
  // of the request; waits until all have. A request uses either these or the arrivals above.
  void end_phase(std::uint64_t phase);
  void wait_phase(std::uint64_t phase);

  // Where the last to arrive does not do everything itself: it says that all are there.
  void publish_gathered() { container_.queue().publish(sequence_, kGathered); }
  void wait_gathered() { container_.queue().wait_published(sequence_, kGathered - 1); }
  bool is_gathered() { return is_published(kGathered); }

  // One member says that the result is there; the others wait for it.
  void publish_result() { container_.queue().publish(sequence_, kResult); }
  void wait_result() { container_.queue().wait_published(sequence_, kResult - 1); }
  bool has_arrived(std::uint64_t arrivals) {
    return container_.queue().has_arrived(sequence_, arrivals);
  }
  bool has_result() { return is_published(kResult); }

  // This member is done with memory().
  void leave() { container_.queue().leave(sequence_); }

 private:
  // Publications of the slot.
  static constexpr std::uint64_t kMemory = 1;
  static constexpr std::uint64_t kGathered = 2;
  static constexpr std::uint64_t kResult = 3;

  bool is_published(std::uint64_t what) {
    return container_.queue().slot(sequence_).published.load() >=
           competition::stamp(sequence_, what);
  }
  std::uint64_t arrivals_of(std::uint64_t phase) const {
    return phase * static_cast<std::uint64_t>(container_.members());
  }
  explicit Meeting(Container& container);
  void share(std::uint64_t bytes, std::uint64_t zeroed);
  void share_staging(std::uint64_t bytes, std::uint64_t zeroed);

  Container& container_;
  std::uint64_t sequence_;
  std::byte* memory_ = nullptr;
  std::uint64_t stride_ = 0;
};

// What stays in a core's cache while it is copied in and out again.
inline constexpr std::uint64_t kCachedRoom = 512 << 10;
// Between nodes fewer, longer messages mostly gain more than that, up to here.
inline constexpr std::uint64_t kRoomBetweenNodes = 4 << 20;
// Memory for one request of a call that wants `wanted` bytes in all, at most `most`. Collective
// like the call, equal on all ranks.
std::uint64_t request_room(Container& container, MPI_Comm comm, std::uint64_t wanted,
                           std::uint64_t most = kCachedRoom);

// Memory for each request of a call that takes `whole` bytes, or goes in blocks that take up to
// `most` each; of these it holds one while it takes the next. Collective like the call, equal on
// all ranks.
std::uint64_t blocks_room(Container& container, MPI_Comm comm, std::uint64_t whole,
                          std::uint64_t most);

// Memory for so many parts of `bytes`, each of which begins with a cache line.
constexpr std::uint64_t parts_bytes(std::uint64_t parts, std::uint64_t bytes) {
  return parts * (bytes + shm::kCacheLine);
}
// The bytes of each part for which there is that memory.
constexpr std::uint64_t part_room(std::uint64_t memory, std::uint64_t parts) {
  const std::uint64_t each = memory / parts;
  return each > shm::kCacheLine ? each - shm::kCacheLine : 0;
}

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_NODE_MEETING_H_
