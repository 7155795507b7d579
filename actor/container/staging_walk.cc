#include "actor/container/staging_walk.h"

#include <algorithm>
#include <cinttypes>
#include <utility>

#include "actor/shm/cache_line.h"
#include "inter/assertion.h"

namespace mpiactor {

using competition::Description;

std::optional<std::uint64_t> find_room(competition::RequestQueue& queue, std::uint64_t sequence,
                                       std::uint64_t bytes, const StagingRange& within,
                                       std::uint64_t left_by_all) {
  // Descriptions of the requests before this one are published: this member itself has left them,
  // or at least has seen their memory.
  std::pair<std::uint64_t, std::uint64_t> live[competition::kSlots];
  std::size_t count = 0;
  for (std::uint64_t s = std::max<std::uint64_t>(left_by_all, 1); s < sequence; ++s) {
    const Description& description = queue.slot(s).description;
    if (description.sequence != s || description.staging_bytes == 0) continue;
    live[count++] = {description.log_offset,
                     description.staging_offset + description.staging_bytes};
  }
  std::sort(live, live + count);
  std::uint64_t begin = within.begin;
  for (std::size_t i = 0; i < count && begin + bytes > live[i].first; ++i) {
    begin = std::max(begin, shm::round_to_lines(live[i].second));
  }
  if (begin + bytes > within.end) return std::nullopt;
  return begin;
}

StagingRange StagingWalk::next(std::uint64_t bytes, std::uint64_t all) const {
  const std::uint64_t walked = std::min({kMostBytes, taken_ / kGrowth, all});
  if (end_of_last_ + bytes <= walked) return {end_of_last_, walked};
  return {0, all};
}

void StagingWalk::took(std::uint64_t offset, std::uint64_t bytes) {
  end_of_last_ = shm::round_to_lines(offset + bytes);
  taken_ += bytes;
}

void assert_staging_is_free([[maybe_unused]] competition::RequestQueue& queue,
                            [[maybe_unused]] std::uint64_t sequence,
                            [[maybe_unused]] std::uint64_t offset,
                            [[maybe_unused]] std::uint64_t bytes,
                            [[maybe_unused]] std::uint64_t within) {
#if MPIACTOR_ASSERTIONS
  MPIACTOR_ASSERT(bytes <= within && offset <= within - bytes,
                  "request %" PRIu64 " takes staging [%" PRIu64 ", %" PRIu64 ") of %" PRIu64,
                  sequence, offset, offset + bytes, within);
  // Live now: what all have left since room was looked for is nobody's any more.
  for (std::uint64_t s = std::max<std::uint64_t>(queue.left_by_all(), 1); s < sequence; ++s) {
    const Description& other = queue.slot(s).description;
    if (other.sequence != s || other.staging_bytes == 0) continue;
    const std::uint64_t end = other.staging_offset + other.staging_bytes;
    MPIACTOR_ASSERT(end <= offset || offset + bytes <= other.log_offset,
                    "request %" PRIu64 " takes staging [%" PRIu64 ", %" PRIu64
                    "), but request %" PRIu64 " is live in [%" PRIu64 ", %" PRIu64 ")",
                    sequence, offset, offset + bytes, s, other.log_offset, end);
  }
#endif
}

}  // namespace mpiactor
