// What lies where in the memory that a communicator's members share on a node.
#ifndef MPIACTOR_ACTOR_CONTAINER_SEGMENT_LAYOUT_H_
#define MPIACTOR_ACTOR_CONTAINER_SEGMENT_LAYOUT_H_

#include <cstddef>
#include <cstdint>

namespace mpiactor {

// In bytes from the segment's begin: header, queue, tables, staging.
struct SegmentLayout {
  static constexpr std::uint64_t kHeaderBytes = 4096;
  // Staging that has memory from the start.
  static constexpr std::uint64_t kSureStagingBytes = 256 << 10;

  // `members`: of the node; `table_ints`: numbers that they share, see inter::IntTable;
  // `limit_bytes`: MPIACTOR_SHM_LIMIT.
  SegmentLayout(int members, std::size_t table_ints, std::uint64_t limit_bytes);

  std::uint64_t tables_begin = 0;
  std::uint64_t staging_begin = 0;
  std::uint64_t staging_bytes = 0;          // address space
  std::uint64_t request_staging_bytes = 0;  // of it, for requests; send buffers follow

  std::uint64_t table_bytes() const { return staging_begin - tables_begin; }
  // Memory that the segment has from the start, and that it can ever have.
  std::uint64_t sure_bytes() const { return staging_begin + kSureStagingBytes; }
  std::uint64_t most_bytes() const { return staging_begin + staging_bytes; }
};

constexpr std::uint64_t round_to_pages(std::uint64_t bytes) { return (bytes + 4095) / 4096 * 4096; }

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_SEGMENT_LAYOUT_H_
