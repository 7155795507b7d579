#include "bench/payload.h"

#include <algorithm>
#include <cstring>

namespace mpiactor::bench {
namespace {

constexpr std::size_t kWordBytes = sizeof(std::uint64_t);

// The low byte counts the calls, so even a message of one byte changes with each of them; the
// position is mixed in by an odd factor that leaves the low byte of word 0 alone.
std::uint64_t payload_word(std::uint64_t call, std::size_t index) {
  const std::uint64_t mixed = (call + 1) * 0x9e3779b97f4a7c15u;
  return ((mixed & ~std::uint64_t{0xff}) | (call & 0xff)) +
         static_cast<std::uint64_t>(index) * 0xd1b54a32d192ed03u;
}

}  // namespace

void fill_payload(std::vector<std::byte>& buffer, std::uint64_t call) {
  for (std::size_t offset = 0; offset < buffer.size(); offset += kWordBytes) {
    const std::uint64_t word = payload_word(call, offset / kWordBytes);
    std::memcpy(buffer.data() + offset, &word, std::min(kWordBytes, buffer.size() - offset));
  }
}

std::optional<std::size_t> find_wrong_bytes(const std::vector<std::byte>& buffer,
                                            std::uint64_t call) {
  for (std::size_t offset = 0; offset < buffer.size(); offset += kWordBytes) {
    const std::uint64_t word = payload_word(call, offset / kWordBytes);
    if (std::memcmp(buffer.data() + offset, &word, std::min(kWordBytes, buffer.size() - offset))) {
      return offset;
    }
  }
  return std::nullopt;
}

}  // namespace mpiactor::bench
