#include "sim/event_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace mpiactor::sim {
namespace {

TEST(EventQueue, EqualTimesLeaveInOrderOfArrival) {
  EventQueue queue;
  for (std::uint32_t k = 0; k < 1000; ++k) queue.push({k % 3 * 1'000'000, k, 0});
  std::uint64_t last_time = 0;
  std::uint32_t last_subject = 0;
  for (int k = 0; k < 1000; ++k) {
    const Event event = queue.pop();
    ASSERT_GE(event.time, last_time);
    if (k > 0 && event.time == last_time) {
      ASSERT_GT(event.subject, last_subject);
    }
    last_time = event.time;
    last_subject = event.subject;
  }
  EXPECT_TRUE(queue.empty());
}

TEST(EventQueue, AgreesWithAStableSortWhilePushesAndPopsMix) {
  const unsigned seed = 7;
  SCOPED_TRACE(seed);
  std::mt19937_64 generator(seed);
  EventQueue queue;
  std::vector<Event> pending;  // in order of pushing
  std::uint64_t now = 0;
  std::uint32_t next = 0;
  for (int step = 0; step < 200'000; ++step) {
    if (pending.empty() || (pending.size() < 300 && generator() % 2 == 0)) {
      const std::uint64_t reach = std::uint64_t{1} << (generator() % 40);
      const Event event{now + generator() % reach, next++, 0};
      queue.push(event);
      pending.push_back(event);
    } else {
      const auto expected =
          std::min_element(pending.begin(), pending.end(),
                           [](const Event& a, const Event& b) { return a.time < b.time; });
      const Event event = queue.pop();
      ASSERT_EQ(event.time, expected->time);
      ASSERT_EQ(event.subject, expected->subject);
      now = event.time;
      pending.erase(expected);
    }
    ASSERT_EQ(queue.size(), pending.size());
  }
}

TEST(EventQueue, EventsMayBePushedAtTheTimeOfTheLastPop) {
  EventQueue queue;
  queue.push({5, 1, 0});
  EXPECT_EQ(queue.pop().subject, 1u);
  queue.push({5, 2, 0});
  queue.push({6, 3, 0});
  queue.push({5, 4, 0});
  EXPECT_EQ(queue.pop().subject, 2u);
  EXPECT_EQ(queue.pop().subject, 4u);
  EXPECT_EQ(queue.pop().subject, 3u);
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace mpiactor::sim
