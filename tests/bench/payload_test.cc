#include "bench/payload.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace mpiactor::bench {
namespace {

TEST(Payload, IsRightForItsOwnCallOnly) {
  for (const std::size_t bytes : {1u, 7u, 8u, 9u, 1000u}) {
    std::vector<std::byte> buffer(bytes);
    fill_payload(buffer, 41);
    EXPECT_EQ(find_wrong_bytes(buffer, 41), std::nullopt) << bytes;
    EXPECT_EQ(find_wrong_bytes(buffer, 42), 0u) << bytes;
  }
}

TEST(Payload, NoWordStaysTheSameFromCallToCall) {
  std::vector<std::byte> before(4096), after(4096);
  for (std::uint64_t call = 0; call < 600; ++call) {
    fill_payload(before, call);
    fill_payload(after, call + 1);
    for (std::size_t offset = 0; offset < before.size(); offset += 8) {
      ASSERT_FALSE(std::equal(before.begin() + static_cast<std::ptrdiff_t>(offset),
                              before.begin() + static_cast<std::ptrdiff_t>(offset) + 8,
                              after.begin() + static_cast<std::ptrdiff_t>(offset)))
          << "call " << call << ", offset " << offset;
    }
  }
}

TEST(Payload, FindsOneWrongByteAndAStaleTail) {
  std::vector<std::byte> buffer(100);
  fill_payload(buffer, 7);
  buffer[50] ^= std::byte{1};
  EXPECT_EQ(find_wrong_bytes(buffer, 7), 48u);  // the word that holds it
  std::vector<std::byte> stale(100);
  fill_payload(stale, 6);
  fill_payload(buffer, 7);
  std::copy(stale.begin() + 64, stale.end(), buffer.begin() + 64);
  EXPECT_EQ(find_wrong_bytes(buffer, 7), 64u);
}

}  // namespace
}  // namespace mpiactor::bench
