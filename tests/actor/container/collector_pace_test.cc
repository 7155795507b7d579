#include "actor/container/collector_pace.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <vector>

#include "inter/messages.h"

namespace mpiactor {
namespace {

// The first request whose message is waited for, where the collector receives nothing;
// `sender(request)` is the member that sends for its node, or -1 where none has anything to send.
std::uint64_t first_wait(int members, const std::function<int(std::uint64_t)>& sender) {
  std::vector<CollectorPace> paces(static_cast<std::size_t>(members));
  std::uint64_t request = 0;
  for (;;) {
    const int member = sender(++request);
    if (member >= 0 && paces[static_cast<std::size_t>(member)].waits(request)) return request;
  }
}

TEST(CollectorPaceTest, OneSenderWaitsByItsMessages) {
  EXPECT_EQ(first_wait(1, [](std::uint64_t) { return 0; }), CollectorPace::kMostMessages);
}

TEST(CollectorPaceTest, SendersThatTakeTurnsAreBoundedTogether) {
  for (const int members : {2, 7, 64, 300}) {
    const auto count = static_cast<std::uint64_t>(members);
    EXPECT_LE(first_wait(members, [&](std::uint64_t s) { return static_cast<int>(s % count); }),
              CollectorPace::kMostRequests)
        << members;
    std::mt19937 random(static_cast<unsigned>(members));
    EXPECT_LE(
        first_wait(members, [&](std::uint64_t) { return static_cast<int>(random() % count); }),
        CollectorPace::kMostRequests)
        << members;
  }
}

// At every 64th nothing is sent.
TEST(CollectorPaceTest, EmptyCallsDoNotHideTheBound) {
  EXPECT_LE(
      first_wait(1, [](std::uint64_t s) { return s % CollectorPace::kMostMessages ? 0 : -1; }),
      CollectorPace::kMostMessages + 1);
}

// Who sends rarely waits each time; who sends always waits seldom.
TEST(CollectorPaceTest, WaitsAsOftenAsItMust) {
  CollectorPace rare;
  CollectorPace steady;
  int waits = 0;
  for (std::uint64_t request = 1; request <= 64'000; ++request) {
    if (request % 1000 == 0) {
      EXPECT_TRUE(rare.waits(request));
    }
    waits += steady.waits(request) ? 1 : 0;
  }
  EXPECT_EQ(waits, 1000);
}

// With what members of a node may be apart, and as much again.
TEST(CollectorPaceTest, FitsIntoTheWindowOfTags) {
  EXPECT_LT(2 * CollectorPace::kMostRequests, inter::kSequenceWindow);
}

}  // namespace
}  // namespace mpiactor
