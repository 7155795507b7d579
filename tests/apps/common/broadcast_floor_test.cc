// What is left of a program's time in broadcasts if these take none. Loops are tested in
// bench/loop.
#include "apps/common/broadcast_floor.h"

#include <gtest/gtest.h>

namespace mpiactor::apps {
namespace {

// By hand, in us:
//          root 0   step   root 1         step   root 1         step
// rank 0   at 0     7      waits 3 to 10  1      waits 4 to 15  100
// rank 1   at 0     10     at 10          5      at 15          100
// rank 2   at 0     2      waits 8 to 10  6      at 16          100
TEST(BroadcastFloor, OfAProgramThatComputesAfterEachBroadcast) {
  const std::vector<double> lengths_ns = {7e3,  1e3, 1e5,  //
                                          10e3, 5e3, 1e5,  //
                                          2e3,  6e3, 1e5};
  EXPECT_DOUBLE_EQ(floor_of_program_s({0, 1, 1}, lengths_ns), (3 + 4 + 8) / 3.0 * 1e-6);
  // Nobody waits for the first root, or for one that is there first.
  EXPECT_DOUBLE_EQ(floor_of_program_s({2, 2, 2}, {7e3, 1e3, 0, 10e3, 5e3, 0, 2e3, 3e3, 0}), 0);
}

TEST(BroadcastFloor, OfNoBroadcastsIsNothing) { EXPECT_EQ(floor_of_program_s({}, {}), 0); }

}  // namespace
}  // namespace mpiactor::apps
