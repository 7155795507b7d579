// Message contents that change with every call, so that stale or missing bytes are seen.
#ifndef MPIACTOR_BENCH_PAYLOAD_H_
#define MPIACTOR_BENCH_PAYLOAD_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace mpiactor::bench {

// Fills `buffer` with the contents of call number `call`. Every 8-byte word differs from that
// word in the call before, so a receiver's buffer needs no clearing between calls.
void fill_payload(std::vector<std::byte>& buffer, std::uint64_t call);

// Offset of the first word (its first byte) that is not what fill_payload wrote; nothing if all
// bytes are right.
std::optional<std::size_t> find_wrong_bytes(const std::vector<std::byte>& buffer,
                                            std::uint64_t call);

}  // namespace mpiactor::bench

#endif  // MPIACTOR_BENCH_PAYLOAD_H_
