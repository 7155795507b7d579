#include "inter/select.h"

#include <algorithm>
#include <bit>

namespace mpiactor::inter {
namespace {

// [CP]: short messages by a binomial tree; medium ones by RDAAS on a power of two of nodes; the
// others by RingAAS. On up to kStarNodes nodes the root sends to every node itself: the number of
// transfers is the same for every algorithm, and no node then waits for another one's leader.
constexpr std::uint64_t kShortBytes = 12 << 10;
constexpr std::uint64_t kLongBytes = 512 << 10;
constexpr std::int64_t kStarNodes = 4;

const char* choose_bcast(const Shape& shape, std::uint64_t bytes) {
  const std::int64_t nodes = shape.nodes();
  if (nodes <= kStarNodes) return "linear";
  if (bytes < kShortBytes) return "binomial";
  const bool power_of_two = std::has_single_bit(static_cast<std::uint64_t>(nodes));
  return bytes < kLongBytes && power_of_two ? "rdaas" : "ring";
}

std::uint64_t choose_segment(std::uint64_t bytes) {
  // Enough segments to overlap the copies inside the nodes with the transfers between them, none so
  // short that the cost of a message shows. Up to 16 KiB messages between nodes are sent eagerly.
  constexpr std::uint64_t kShortest = 16 << 10;
  constexpr std::uint64_t kLongest = 1 << 20;
  return std::clamp(std::bit_ceil(bytes / 8 + 1), kShortest, kLongest);
}

}  // namespace

Selection select_bcast(const Shape& shape, std::uint64_t bytes, std::string_view name,
                       std::uint64_t segment_bytes) {
  Selection selection;
  selection.algorithm = find_algorithm(Collective::kBcast, name);
  if (!selection.algorithm || !selection.algorithm->supports(shape)) {
    selection.algorithm = find_algorithm(Collective::kBcast, choose_bcast(shape, bytes));
  }
  selection.segment_bytes = segment_bytes ? segment_bytes : choose_segment(bytes);
  return selection;
}

}  // namespace mpiactor::inter
