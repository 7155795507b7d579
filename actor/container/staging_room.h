// Which ranges of staging are in use, and where there is room.
#ifndef MPIACTOR_ACTOR_CONTAINER_STAGING_ROOM_H_
#define MPIACTOR_ACTOR_CONTAINER_STAGING_ROOM_H_

#include <cstdint>
#include <optional>

#include "actor/competition/request_queue.h"

namespace mpiactor {

// Leader of `sequence`: the lowest offset of `bytes` of staging, which has `all`, in a range that
// no live request uses: none of those before `sequence` that some member has not left yet. It
// begins at a whole cache line, as words and operands in it want. `left_by_all`: what the queue has
// said of that.
std::optional<std::uint64_t> find_room(competition::RequestQueue& queue, std::uint64_t sequence,
                                       std::uint64_t bytes, std::uint64_t all,
                                       std::uint64_t left_by_all);

// Debug builds: staging that `sequence` takes, [offset, offset + bytes), is within `all` bytes
// and shares nothing with a live request's.
void assert_staging_is_free(competition::RequestQueue& queue, std::uint64_t sequence,
                            std::uint64_t offset, std::uint64_t bytes, std::uint64_t all);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_STAGING_ROOM_H_
