// Parts of the members' common memory.
#include <gtest/gtest.h>

#include "actor/node/meeting.h"
#include "actor/shm/cache_line.h"

namespace mpiactor {
namespace {

TEST(Parts, FitEachBeginningWithACacheLine) {
  for (const std::uint64_t memory : {64ull << 10, 256ull << 10, 699'050ull, 2ull << 20}) {
    for (std::uint64_t parts = 1; parts <= 400; ++parts) {
      const std::uint64_t room = part_room(memory, parts);
      if (room != 0) {
        EXPECT_LE(parts * shm::round_to_lines(room), memory) << parts;
        EXPECT_GT(parts * (room + shm::kCacheLine + 1), memory) << parts;
      }
    }
  }
}

TEST(Parts, HaveTheMemoryThatTheyNeed) {
  for (const std::uint64_t bytes : {1ull, 127ull, 128ull, 129ull, 100'000ull}) {
    for (std::uint64_t parts = 1; parts <= 400; ++parts) {
      EXPECT_EQ(part_room(parts_bytes(parts, bytes), parts), bytes);
    }
  }
}

TEST(Parts, OfTooManyMembersHaveNoRoom) {
  EXPECT_EQ(part_room(64 << 10, 1025), 0u);
  EXPECT_EQ(part_room(64 << 10, 100000), 0u);
}

}  // namespace
}  // namespace mpiactor
