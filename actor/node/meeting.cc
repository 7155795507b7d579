#include "actor/node/meeting.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <stdexcept>

#include "actor/container/world.h"
#include "actor/shm/cache_line.h"
#include "inter/assertion.h"

namespace mpiactor {

std::uint64_t request_room(Container& container, MPI_Comm comm, std::uint64_t wanted,
                           std::uint64_t most) {
  container.grow(comm, std::min(wanted, most));
  return std::min(container.work_bytes(), most);
}

std::uint64_t blocks_room(Container& container, MPI_Comm comm, std::uint64_t whole,
                          std::uint64_t most) {
  const bool is_one = whole <= most;
  container.grow(comm, std::min(whole, most), is_one ? 1 : Container::kPartsWithOneHeld);
  if (is_one && whole <= container.work_bytes()) return container.work_bytes();
  return container.work_bytes(Container::kPartsWithOneHeld);
}

// With more ranks than cores a wake-up is dear: one, by the last to arrive. Else signatures.
void Meeting::end_phase(std::uint64_t phase) {
  if (world()->crowded) {
    arrive(arrivals_of(phase));
  } else {
    container_.queue().sign(sequence_, phase);
  }
}

void Meeting::wait_phase(std::uint64_t phase) {
  if (world()->crowded) {
    wait_arrived(arrivals_of(phase));
  } else {
    container_.queue().wait_all_signed(sequence_, phase);
  }
}

Meeting::Meeting(Container& container)
    : container_(container), sequence_(container.next_sequence()) {
  if (container.drops().size() != 0) container.drops().sweep();
}

Meeting::Meeting(Container& container, std::uint64_t bytes, std::uint64_t zeroed)
    : Meeting(container) {
  share(bytes, zeroed);
}

Meeting::Meeting(Container& container, Parts parts) : Meeting(container) {
  if (comes_signed(parts)) {
    container.queue().enter(sequence_);
    memory_ = container.queue().signed_parts(sequence_)->bytes;
    stride_ = sizeof(competition::SignedPart);
  } else {
    stride_ = shm::round_to_lines(parts.bytes);
    share(static_cast<std::uint64_t>(container.members()) * stride_, 0);
  }
}

void Meeting::share(std::uint64_t bytes, std::uint64_t zeroed) {
  MPIACTOR_ASSERT(
      bytes <= std::max<std::uint64_t>(container_.work_bytes(), competition::kInlineBytes),
      "member %d asks for %" PRIu64 " bytes in request %" PRIu64 "; at most %" PRIu64,
      container_.member(), bytes, sequence_, container_.work_bytes());
  if (bytes <= competition::kInlineBytes) {
    MPIACTOR_ASSERT(zeroed == 0, "request %" PRIu64 ": nobody zeroes a slot's bytes", sequence_);
    container_.queue().enter(sequence_);
    memory_ = container_.queue().slot(sequence_).inline_bytes;
  } else {
    share_staging(bytes, zeroed);
  }
}

void Meeting::share_staging(std::uint64_t bytes, std::uint64_t zeroed) {
  competition::RequestQueue& queue = container_.queue();
  competition::Description& description = queue.slot(sequence_).description;
  if (queue.compete(sequence_) == competition::Role::kLeader) {
    const auto offset = container_.allocate_staging(sequence_, bytes);
    if (!offset) throw std::logic_error("no staging, though all ranks have agreed on it");
    std::memset(container_.staging(*offset), 0, zeroed);
    description = {.sequence = sequence_,
                   .staging_offset = *offset,
                   .staging_bytes = bytes,
                   .log_offset = *offset};
    queue.publish(sequence_, kMemory);
  } else {
    queue.wait_published(sequence_, 0);
  }
  // Nobody may write beyond it.
  if (description.staging_bytes != bytes)
    throw std::runtime_error("the ranks of a node call it with different sizes");
  MPIACTOR_ASSERT(description.sequence == sequence_,
                  "member %d is in request %" PRIu64 ", whose slot describes request %" PRIu64,
                  container_.member(), sequence_, description.sequence);
  memory_ = container_.staging(description.staging_offset);
}

}  // namespace mpiactor
