#include "actor/container/segment_layout.h"

#include <algorithm>

#include "actor/competition/request_queue.h"

namespace mpiactor {

SegmentLayout::SegmentLayout(int members, std::size_t table_ints, std::uint64_t limit_bytes)
    : tables_begin(round_to_pages(kHeaderBytes + competition::RequestQueue::bytes_needed(members))),
      staging_begin(tables_begin + round_to_pages(table_ints * sizeof(int))),
      staging_bytes(round_to_pages(std::max(limit_bytes, kSureStagingBytes))),
      request_staging_bytes(std::max(round_to_pages(staging_bytes / 4 * 3),
                                     std::min(staging_bytes, kSureStagingBytes))) {}

}  // namespace mpiactor
