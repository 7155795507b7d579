#include "actor/container/root_pace.h"

#include <gtest/gtest.h>

namespace mpiactor {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

constexpr microseconds kMost = RootPace::kMostVariation;

// Calls that take no time unless told.
struct Caller {
  RootPace pace;
  RootPace::Clock::time_point now;

  bool call_after(microseconds gap, microseconds in_call = microseconds(0)) {
    now += gap;
    pace.enter(now);
    now += in_call;
    pace.leave(now);
    return pace.is_stream();
  }
};

TEST(RootPace, FourthOfEvenCallsIsStream) {
  Caller caller;
  EXPECT_FALSE(caller.call_after(seconds(1)));
  EXPECT_FALSE(caller.call_after(microseconds(500)));
  EXPECT_FALSE(caller.call_after(microseconds(500) + kMost));
  EXPECT_TRUE(caller.call_after(microseconds(500)));
  EXPECT_TRUE(caller.call_after(microseconds(0)));
}

TEST(RootPace, LongGapsMayBeEven) {
  Caller caller;
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(caller.call_after(seconds(10)));
  EXPECT_TRUE(caller.call_after(seconds(10)));
}

// A long gap is unlike the one before it, and the one after it is unlike the long one.
TEST(RootPace, UnevenCallEndsStream) {
  Caller caller;
  for (int i = 0; i < 4; ++i) caller.call_after(microseconds(0));
  EXPECT_TRUE(caller.pace.is_stream());
  EXPECT_FALSE(caller.call_after(kMost + microseconds(1)));
  EXPECT_FALSE(caller.call_after(microseconds(0)));
  EXPECT_FALSE(caller.call_after(microseconds(0)));
  EXPECT_TRUE(caller.call_after(microseconds(0)));
}

TEST(RootPace, AlternatingGapsAreNoStream) {
  Caller caller;
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(caller.call_after(i % 2 == 0 ? microseconds(0) : 2 * kMost)) << i;
  }
}

TEST(RootPace, TimeInCallDoesNotCount) {
  Caller caller;
  for (int i = 0; i < 4; ++i) caller.call_after(microseconds(0), i * seconds(1));
  EXPECT_TRUE(caller.pace.is_stream());
}

}  // namespace
}  // namespace mpiactor
