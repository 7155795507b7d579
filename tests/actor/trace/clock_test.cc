#include "actor/trace/clock.h"

#include <gtest/gtest.h>

#include <vector>

namespace mpiactor::trace {
namespace {

TEST(Clock, OffsetIsThatOfTheQuickestExchange) {
  // The answerer is 1000 ahead; the second exchange's way there took 40 of 50 more.
  const std::vector<ClockExchange> exchanges = {
      {.before_ns = 0, .answer_ns = 1100, .after_ns = 200},
      {.before_ns = 500, .answer_ns = 1504, .after_ns = 510},
      {.before_ns = 900, .answer_ns = 1999, .after_ns = 1000}};
  const ClockReading reading = estimate_offset(exchanges);
  EXPECT_EQ(reading.local_ns, 505);
  EXPECT_EQ(reading.offset_ns, 999);
  EXPECT_EQ(reading.uncertainty_ns, 5);
}

TEST(Clock, ClocksBehindHaveNegativeOffsets) {
  const std::vector<ClockExchange> exchanges = {
      {.before_ns = 1000, .answer_ns = 10, .after_ns = 1020}};
  EXPECT_EQ(estimate_offset(exchanges).offset_ns, -1000);
}

TEST(Clock, ProcessesOfOneMachineAgree) {
  EXPECT_EQ(clock_identity(), clock_identity());
  EXPECT_GT(clock_identity().size(), 8u);
  EXPECT_NE(hash_of("a"), hash_of("b"));
}

TEST(Clock, GoesForward) {
  const std::int64_t before = now_ns();
  EXPECT_GE(now_ns(), before);
}

}  // namespace
}  // namespace mpiactor::trace
