#include "actor/node/node_combining.h"

#include <algorithm>

#include "actor/shm/cache_line.h"

namespace mpiactor {
namespace {

// What one member combines by itself, in all: less than the time in which others wake up. With more
// ranks than cores they do not even take turns until it gives way.
constexpr std::uint64_t kAloneBytes = 128 << 10;
constexpr std::uint64_t kAloneWhereCrowded = 1 << 20;

constexpr std::uint64_t kSliceBytes = 16 << 10;
constexpr std::uint64_t kMostSlices = 1 << 9;
static_assert(competition::Arrivals::kMostMembers + kMostSlices <=
              competition::Arrivals::kMostCounted);

std::uint64_t slices_for(std::uint64_t members, std::uint64_t bytes) {
  const std::uint64_t alone = world()->crowded ? kAloneWhereCrowded : kAloneBytes;
  if (members * bytes <= alone) return 1;
  return std::clamp<std::uint64_t>(bytes / kSliceBytes, 1, kMostSlices);
}

}  // namespace

std::uint64_t NodeCombining::zeroed_bytes(std::uint64_t members, std::uint64_t bytes) {
  return slices_for(members, bytes) == 1 ? 0 : shm::kCacheLine;
}

std::uint64_t NodeCombining::memory_bytes(std::uint64_t members, std::uint64_t bytes) {
  return zeroed_bytes(members, bytes) + members * shm::round_to_lines(bytes);
}

NodeCombining::NodeCombining(Container& container, Meeting& meeting, const Reduction& reduction,
                             std::uint64_t elements, std::byte* memory)
    : container_(container),
      meeting_(meeting),
      reduction_(reduction),
      elements_(elements),
      members_(static_cast<std::uint64_t>(container.members())),
      slices_(slices_for(members_, elements * reduction.element_bytes())),
      zeroed_(zeroed_bytes(members_, elements * reduction.element_bytes())),
      memory_(memory),
      contributions_{.memory = vectors(),
                     .stride = shm::round_to_lines(elements * reduction.element_bytes()),
                     .members = container.members()} {}

std::byte* NodeCombining::own_part() const {
  return vectors() + static_cast<std::uint64_t>(container_.member()) * contributions_.stride;
}

void NodeCombining::combine_slice(std::uint64_t slice) {
  if (members_ == 1) return;  // it lies there
  const std::uint64_t begin = slice_begin(slice);
  contributions_.combine_for_others(reduction_, begin, slice_begin(slice + 1) - begin,
                                    vectors() + begin * reduction_.element_bytes());
}

}  // namespace mpiactor
