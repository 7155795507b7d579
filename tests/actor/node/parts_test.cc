// Parts of the members' common memory.
#include <gtest/gtest.h>

#include "actor/node/meeting.h"

namespace mpiactor {
namespace {

TEST(Parts, LeaveRoomForRounding) {
  EXPECT_EQ(part_room(8 << 20, 4, 64), (2 << 20) - 64u);
  EXPECT_EQ(part_room(64 << 10, 256, 64), 192u);
}

TEST(Parts, OfTooManyMembersHaveNoRoom) {
  EXPECT_EQ(part_room(64 << 10, 257, 256), 0u);
  EXPECT_EQ(part_room(64 << 10, 1025, 64), 0u);
  EXPECT_EQ(part_room(64 << 10, 100000, 64), 0u);
}

}  // namespace
}  // namespace mpiactor
