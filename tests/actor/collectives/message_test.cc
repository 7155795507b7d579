// The messages that tests compare: every wrong byte is found, at whichever place.
#include "tests/actor/collectives/message.h"

#include <gtest/gtest.h>

namespace mpiactor::testing {
namespace {

constexpr std::size_t kSize = 3 * Message::kPeriod + 17;

TEST(Message, FindsTheFirstWrongByte) {
  for (const std::uint64_t number : {0u, 1u, 65520u, 65521u, 123456789u}) {
    const Message message(number);
    auto bytes = message.first(kSize);
    EXPECT_EQ(message.first_wrong(bytes.data(), kSize), kSize);
    for (const std::size_t at : {std::size_t{0}, Message::kPeriod - 1, Message::kPeriod,
                                 2 * Message::kPeriod + 5, kSize - 1}) {
      EXPECT_EQ(bytes[at], message[at]);
      bytes[at] ^= 1;
      EXPECT_EQ(message.first_wrong(bytes.data(), kSize), at);
      bytes[at] ^= 1;
    }
  }
}

TEST(Message, IsAnotherOneInEachCallAndAtEachPlace) {
  const Message message(7);
  const auto bytes = message.first(kSize);
  for (std::uint64_t other = 0; other < 1000; ++other) {
    if (other == 7) continue;
    EXPECT_LT(Message(other).first_wrong(bytes.data(), kSize), 16u) << other;
  }
  for (std::size_t shift = 1; shift <= std::size_t{1} << 17; shift *= 2) {
    EXPECT_LT(message.first_wrong(bytes.data() + shift, kSize - shift), 16u) << shift;
  }
}

}  // namespace
}  // namespace mpiactor::testing
