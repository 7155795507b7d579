#include "actor/node/running_result.h"

#include <algorithm>

#include "actor/shm/copy.h"

namespace mpiactor {
namespace {

// Long enough that a claim's cache line does not count, short enough that neighbours seldom meet.
constexpr std::uint64_t kSliceBytes = 16 << 10;

// Up to here in one request, which between nodes is one exchange; a little over a power of two,
// since parts of many shares round up.
constexpr std::uint64_t kMostInOne = (1 << 20) + (64 << 10);
// Longer ones in blocks. With the overhead one takes a power of two, as Container::grow() gives.
constexpr std::uint64_t kBlockBytes = (256 << 10) - RunningResult::kOverheadBytes;

// A slice's word: contributions that it holds, and whether it is being worked on.
constexpr std::uint64_t kClaimed = 1;
constexpr std::uint64_t kContribution = 2;

std::uint64_t slices_for(std::uint64_t bytes, std::uint64_t elements) {
  const std::uint64_t wanted =
      std::clamp<std::uint64_t>(bytes / kSliceBytes, 1, RunningResult::kMostSlices);
  return std::max<std::uint64_t>(std::min(wanted, elements), 1);
}

}  // namespace

RunningResult::RunningResult(Container& container, const Reduction& reduction,
                             std::uint64_t elements, int contributors)
    : reduction_(reduction),
      elements_(elements),
      slices_(slices_for(elements * reduction.element_bytes(), elements)),
      contributors_(static_cast<std::uint64_t>(contributors)),
      first_slice_(static_cast<std::uint64_t>(container.member()) * slices_ /
                   static_cast<std::uint64_t>(container.members())),
      meeting_(
          container,
          // Never so short that it would lie in the slot, which nobody zeroes.
          std::max<std::uint64_t>(slices_ * shm::kCacheLine + elements * reduction.element_bytes(),
                                  competition::kInlineBytes + 1),
          slices_ * shm::kCacheLine) {}

RunningResult::Claim RunningResult::try_slice(std::uint64_t slice, const std::byte* own) {
  std::atomic<std::uint64_t>& here = word(slice);
  std::uint64_t seen = here.load(std::memory_order_relaxed);
  // Acquire: what those before have written of the slice.
  if (seen & kClaimed ||
      !here.compare_exchange_strong(seen, seen | kClaimed, std::memory_order_acquire,
                                    std::memory_order_relaxed)) {
    return Claim::kHeldByAnother;
  }
  const std::uint64_t begin = slice_begin(slice);
  const std::uint64_t count = slice_begin(slice + 1) - begin;
  const std::uint64_t offset = begin * reduction_.element_bytes();
  if (seen == 0) {
    shm::copy_to_shared(data() + offset, own + offset, count * reduction_.element_bytes());
  } else {
    reduction_.combine(data() + offset, own + offset, data() + offset, count);
  }
  // Release: for the next one to claim it. The last one tells by the arrival instead.
  const std::uint64_t now = seen + kContribution;
  here.store(now, std::memory_order_release);
  if (now != contributors_ * kContribution) return Claim::kDone;
  const std::uint64_t arrived = meeting_.arrivals().count(slices_);
  return arrived == slices_ ? Claim::kCompletedAll : Claim::kDone;
}

BlocksAhead running_blocks(Container& container, MPI_Comm comm, std::uint64_t bytes,
                           std::uint64_t element_bytes) {
  const bool in_one = bytes <= kMostInOne;
  // A member that holds blocks while it takes memory for one more must find room whatever lies
  // between them: `ahead` blocks leave ahead + 1 gaps, of which one is large enough.
  constexpr std::uint64_t kParts = 2 * BlocksAhead::kMostAhead + 1;
  const std::uint64_t whole = bytes + RunningResult::kOverheadBytes;
  container.grow(comm, in_one ? whole : kParts * (kBlockBytes + RunningResult::kOverheadBytes));
  if (in_one && whole <= container.work_bytes()) return {bytes / element_bytes, 0};
  const std::uint64_t room =
      std::min(container.work_bytes() / kParts - RunningResult::kOverheadBytes, kBlockBytes);
  return {std::max<std::uint64_t>(room / element_bytes, 1), BlocksAhead::kMostAhead};
}

}  // namespace mpiactor
