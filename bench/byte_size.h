// Message sizes as people write them: "8", "64K", "1M".
#ifndef MPIACTOR_BENCH_BYTE_SIZE_H_
#define MPIACTOR_BENCH_BYTE_SIZE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mpiactor::bench {

// Largest message that one MPI_Bcast of MPI_BYTE can carry with an int count.
constexpr std::int64_t kMaxMessageBytes = 2147483647;

// Bytes of "123", "64K", "1M" or "1G" (suffix in either case, powers of 1024).
// Throws std::invalid_argument naming `text` unless the result is 1..kMaxMessageBytes.
std::int64_t parse_byte_size(std::string_view text);

// Sizes of a comma-separated list, in the given order. Throws as parse_byte_size does, also for
// an empty list or an empty entry.
std::vector<std::int64_t> parse_byte_sizes(std::string_view list);

// Shortest exact spelling that parse_byte_size reads back: 65536 is "64K", 1000 is "1000".
std::string format_byte_size(std::int64_t bytes);

}  // namespace mpiactor::bench

#endif  // MPIACTOR_BENCH_BYTE_SIZE_H_
