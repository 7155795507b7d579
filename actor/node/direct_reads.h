// A request in which every member reads from the others' own memory, without staging.
#ifndef MPIACTOR_ACTOR_NODE_DIRECT_READS_H_
#define MPIACTOR_ACTOR_NODE_DIRECT_READS_H_

#include <cstddef>
#include <cstdint>

#include "actor/container/container.h"
#include "actor/node/meeting.h"

namespace mpiactor {

// One member's part in it: offer, all_offered, then reads, then finish. What one member alone finds
// out, that its buffer has gaps or that a read fails, all get to know at the same points.
class DirectReads {
 public:
  // Takes the communicator's next request.
  explicit DirectReads(Container& container);

  // What the others may read: from `memory` on, which must stay as it is until finish(). nullptr:
  // this member has nothing that can be read as it lies.
  void offer(const std::byte* memory);
  // Waits for all offers. False, on all members: some member has nothing to read; the request is
  // over then.
  bool all_offered();
  // `bytes` from `offset` of what `member` offers. A failure shows in finish().
  void read(int member, std::uint64_t offset, std::uint64_t bytes, std::byte* to);
  // Waits until all members have read what they want. False, on all members: somebody could not.
  // Single copy is over for this container then, and the call must be done in another way; what
  // was offered is unchanged.
  bool finish();

 private:
  struct Offer {
    std::uint64_t address;
    std::int32_t pid;  // of now: a fork may have changed it since the container was made
    std::int32_t failed;
  };
  Offer& of(int member) const { return reinterpret_cast<Offer*>(meeting_.memory())[member]; }

  Container& container_;
  Meeting meeting_;
  bool failed_ = false;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_NODE_DIRECT_READS_H_
