// Which ranges of staging are in use, and where there is room.
#ifndef MPIACTOR_ACTOR_CONTAINER_STAGING_WALK_H_
#define MPIACTOR_ACTOR_CONTAINER_STAGING_WALK_H_

#include <cstdint>
#include <optional>

#include "actor/competition/request_queue.h"

namespace mpiactor {

struct StagingRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// Leader of `sequence`: the lowest offset of `bytes` of staging in the range `within` that no live
// request uses: none of those before `sequence` that some member has not left yet. It begins at a
// whole cache line, as words and operands in it want, where `within` does. `left_by_all`: what the
// queue has said of that.
std::optional<std::uint64_t> find_room(competition::RequestQueue& queue, std::uint64_t sequence,
                                       std::uint64_t bytes, const StagingRange& within,
                                       std::uint64_t left_by_all);

// Where a member that leads looks for room first: behind what it has taken the last time, round and
// round. Memory that was just read is still in the reader's own cache, from which every line must
// be taken before it can be written; what was read 2 MiB ago lies in the common cache by now. (64
// KiB were written in 2 us instead of 9 where two cores share a cache, and in 19 instead of 38
// where they do not.)
class StagingWalk {
 public:
  // Whether it pays for a request of `bytes`: few lines are still in the first cache, where they
  // are taken from quickly. `past_caches`: the writer does not want them anyway.
  static bool is_worth_it(std::uint64_t bytes, bool past_caches) {
    return bytes >= kShortestBytes || past_caches;
  }
  // The part of staging, which has `all` bytes, in which to look for `bytes`.
  StagingRange next(std::uint64_t bytes, std::uint64_t all) const;
  void took(std::uint64_t offset, std::uint64_t bytes);

  // How much of staging is walked through. It grows with what has been taken, since pages that are
  // touched for the first time cost more than they gain, and communicators that say little shall
  // have little memory.
  static constexpr std::uint64_t kMostBytes = 2 << 20;
  static constexpr std::uint64_t kShortestBytes = 16 << 10;
  static constexpr std::uint64_t kGrowth = 16;  // of so many bytes taken, one more

 private:
  std::uint64_t end_of_last_ = 0;
  std::uint64_t taken_ = 0;
};

// Debug builds: staging that `sequence` takes, [offset, offset + bytes), is within `within` bytes
// and shares nothing with a live request's.
void assert_staging_is_free(competition::RequestQueue& queue, std::uint64_t sequence,
                            std::uint64_t offset, std::uint64_t bytes, std::uint64_t within);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_STAGING_WALK_H_
