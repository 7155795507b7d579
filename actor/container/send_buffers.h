// Memory of each member's own in a node's shared memory, for collectives in which a member alone
// knows how much it has to say: it takes what it needs without asking anybody.
//
// For every slot of the request queue a member has a shared block: a few words that say how much
// there is for it (or from it) in that request and where it lies. Longer data lie in the member's
// buffer, which it gives out for itself.
#ifndef MPIACTOR_ACTOR_CONTAINER_SEND_BUFFERS_H_
#define MPIACTOR_ACTOR_CONTAINER_SEND_BUFFERS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "actor/competition/request_queue.h"
#include "actor/container/offer.h"
#include "actor/shm/cache_line.h"
#include "actor/shm/room.h"
#include "actor/shm/wait.h"

namespace mpiactor {

enum class SharedBlockKind : std::uint32_t {
  kInline,    // in the shared block
  kBuffered,  // in the buffer of member `owner`, from `offset` on, whole
  kRing,      // comes piece by piece through that buffer
  kNetwork,   // comes, or goes, from process to process
  kInRoom,    // the giver has written it where the taker wants it
};

// What a shared block says is written before the first `filled` of its request, but for the grant,
// which is written before the first `emptied`, the offer, which is written before the claim is
// open, and the room, which the taker opens when it comes.
struct SharedBlock {
  static constexpr std::size_t kInlineBytes = 2 * shm::kCacheLine - 56;

  // stamp(request, 1 + pieces that are there), by whoever gives.
  alignas(shm::kCacheLine) shm::WaitWord filled;
  std::uint64_t bytes = 0;
  SharedBlockKind kind = SharedBlockKind::kInline;
  std::int32_t owner = 0;
  std::uint64_t offset = 0;       // in the owner's buffer
  std::uint64_t piece_bytes = 0;  // kBuffered, kRing
  std::byte inline_bytes[kInlineBytes];
  // stamp(request, 1 + pieces that have been taken), by whoever takes; rings alone.
  alignas(shm::kCacheLine) shm::WaitWord emptied;
  std::uint64_t granted_offset = 0;  // a taker's own buffer, where the giver does not offer any
  Offer offer;                       // where the taker may read the block in the giver's own memory
  shm::Room room;                    // where the giver may write it in the taker's own memory
};

// A member's view of all send buffers of its node. One thread at a time.
class SendBuffers {
 public:
  static constexpr std::uint64_t kSharedBlockBytes = competition::kSlots * sizeof(SharedBlock);
  static constexpr std::uint64_t kLeastBufferBytes = 16 << 10;
  static constexpr std::uint64_t kMostBufferBytes = 256 << 10;

  // `memory`: of member 0, zeroed before its first use by anyone; the others' follow at distances
  // of `stride` bytes, at least kSharedBlockBytes + kLeastBufferBytes.
  SendBuffers(std::byte* memory, std::uint64_t stride, int me, competition::RequestQueue& queue);

  // Of `member` in request `sequence`. Whoever writes first has made sure that the request's slot
  // is free.
  SharedBlock& shared_block(int member, std::uint64_t sequence) {
    return reinterpret_cast<SharedBlock*>(memory_ + stride(member))[sequence % competition::kSlots];
  }
  std::byte* memory(int member, std::uint64_t offset) {
    return memory_ + stride(member) + kSharedBlockBytes + offset;
  }
  std::uint64_t buffer_bytes() const { return buffer_bytes_; }  // of each member, equal on all

  // `bytes` (at most buffer_bytes()) of this member's buffer, until all members have left request
  // `sequence`. Waits for slow members where there is no room.
  std::uint64_t take(std::uint64_t sequence, std::uint64_t bytes);

 private:
  struct Range {
    std::uint64_t begin;
    std::uint64_t end;
    std::uint64_t sequence;
  };
  std::uint64_t stride(int member) const { return static_cast<std::uint64_t>(member) * stride_; }

  std::byte* memory_;
  std::uint64_t stride_;
  std::uint64_t buffer_bytes_;
  int me_;
  competition::RequestQueue& queue_;
  std::vector<Range> taken_;  // ascending
  std::uint64_t end_of_last_ = 0;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_SEND_BUFFERS_H_
