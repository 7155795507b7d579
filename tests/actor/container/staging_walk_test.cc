#include "actor/container/staging_walk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "inter/assertion.h"

namespace mpiactor {
namespace {

using competition::kSlots;
using competition::RequestQueue;

const shm::WaitPolicy kPolite{.spin_us = 10, .give_way = true, .progress = nullptr};

// One member that leads, and one that is behind.
class StagingRoom : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kLine = shm::kCacheLine;
  static constexpr std::uint64_t kStaging = 10 * kLine;

  struct alignas(kLine) Line {
    std::byte bytes[kLine];
  };
  std::byte* memory() { return reinterpret_cast<std::byte*>(memory_.data()); }

  // As Distribution::take_staging() does: a log of `log_bytes`, the payload behind it.
  void take(std::uint64_t sequence, std::uint64_t offset, std::uint64_t log_bytes,
            std::uint64_t bytes) {
    queue_.slot(sequence).description = {};
    queue_.slot(sequence).description.sequence = sequence;
    queue_.slot(sequence).description.log_offset = offset;
    queue_.slot(sequence).description.staging_offset = offset + log_bytes;
    queue_.slot(sequence).description.staging_bytes = bytes - log_bytes;
  }
  std::optional<std::uint64_t> room(std::uint64_t sequence, std::uint64_t bytes) {
    return find_room(queue_, sequence, bytes, {0, kStaging}, queue_.left_by_all());
  }

  std::vector<Line> memory_{RequestQueue::bytes_needed(2) / sizeof(Line)};
  RequestQueue queue_{memory(), 2, 0, kPolite};
  RequestQueue slow_{memory(), 2, 1, kPolite};
};

TEST_F(StagingRoom, TheLowestRangeThatIsFree) {
  EXPECT_EQ(room(1, kStaging), 0u);
  EXPECT_EQ(room(1, kStaging + 1), std::nullopt);
  take(1, 0, 64, 200);
  // Behind it, at the next cache line.
  EXPECT_EQ(room(2, 300), 2 * kLine);
  take(2, 2 * kLine, 64, 300);
  EXPECT_EQ(room(3, 5 * kLine), 5 * kLine);
  EXPECT_EQ(room(3, 5 * kLine + 1), std::nullopt);
  take(3, 5 * kLine, 0, 100);
  // The second one is over: its hole is the lowest that is large enough.
  queue_.leave(1);
  queue_.leave(2);
  slow_.leave(1);
  EXPECT_EQ(room(4, 2 * kLine), 0u);
  EXPECT_EQ(room(4, 2 * kLine + 1), 6 * kLine);
  slow_.leave(2);
  EXPECT_EQ(room(4, 5 * kLine), 0u);
  // Requests without staging, and what the slot holds of older ones, take nothing.
  take(4, 0, 0, 0);
  queue_.slot(5).description.sequence = 5 + kSlots;
  EXPECT_EQ(room(6, 5 * kLine), 0u);
}

TEST_F(StagingRoom, TheLowestRangeFromSomewhereOn) {
  take(1, 200, 0, 300);
  const auto room_from = [&](std::uint64_t begin, std::uint64_t bytes) {
    return find_room(queue_, 2, bytes, {begin, kStaging}, queue_.left_by_all());
  };
  EXPECT_EQ(room_from(100, 100), 100u);
  EXPECT_EQ(room_from(101, 100), 4 * kLine);
  EXPECT_EQ(room_from(300, 100), 4 * kLine);
  EXPECT_EQ(room_from(6 * kLine, 4 * kLine), 6 * kLine);
  EXPECT_EQ(room_from(6 * kLine, 4 * kLine + 1), std::nullopt);
}

TEST(StagingWalk, BeginsAtTheBottomAndGrowsSlowly) {
  constexpr std::uint64_t kAll = 6 << 20;
  constexpr std::uint64_t kBytes = 32 << 10;
  StagingWalk walk;
  std::uint64_t taken = 0;
  std::uint64_t highest = 0;
  while (taken < StagingWalk::kGrowth * StagingWalk::kMostBytes) {
    const StagingRange range = walk.next(kBytes, kAll);
    ASSERT_LE(range.begin + kBytes, std::max(kBytes, taken / StagingWalk::kGrowth));
    walk.took(range.begin, kBytes);
    taken += kBytes;
    highest = std::max(highest, range.begin + kBytes);
  }
  EXPECT_GT(highest, StagingWalk::kMostBytes / 2);
}

TEST(StagingWalk, GoesRoundAndRoundBehindWhatItHasTaken) {
  constexpr std::uint64_t kAll = 6 << 20;
  constexpr std::uint64_t kBytes = 256 << 10;
  StagingWalk walk;
  walk.took(0, StagingWalk::kGrowth * StagingWalk::kMostBytes);  // has grown
  walk.took(0, kBytes);
  std::uint64_t expected = kBytes;
  for (int i = 0; i < 50; ++i) {
    const StagingRange range = walk.next(kBytes, kAll);
    EXPECT_EQ(range.begin, expected);
    walk.took(range.begin, kBytes);
    expected = (expected + kBytes) % StagingWalk::kMostBytes;
  }
  // What is longer than the walk has all staging.
  EXPECT_EQ(walk.next(3 << 20, kAll).begin, 0u);
  EXPECT_EQ(walk.next(3 << 20, kAll).end, kAll);
  // Staging that is short bounds it.
  walk.took(kBytes, kBytes - 1);
  EXPECT_EQ(walk.next(kBytes, 3 * kBytes).begin, 2 * kBytes);
  EXPECT_EQ(walk.next(kBytes, 3 * kBytes - 1).begin, 0u);
}

TEST(StagingWalk, ShortRequestsStayAtTheBottomUnlessTheyGoPastCaches) {
  EXPECT_FALSE(StagingWalk::is_worth_it(8 << 10, false));
  EXPECT_TRUE(StagingWalk::is_worth_it(8 << 10, true));
  EXPECT_TRUE(StagingWalk::is_worth_it(64 << 10, false));
}

TEST_F(StagingRoom, LiveRangesNeverOverlap) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::uint64_t left = 1;  // by the slow member
  for (std::uint64_t s = 1; s <= 20000; ++s) {
    const std::uint64_t bytes = 1 + random() % 400;
    std::optional<std::uint64_t> offset;
    const auto find = [&] {
      offset = s % 2 == 0 ? find_room(queue_, s, bytes, {random() % 10 * kLine, kStaging},
                                      queue_.left_by_all())
                          : std::nullopt;
      if (!offset) offset = room(s, bytes);
      return offset.has_value();
    };
    while (s - left >= kSlots || !find()) slow_.leave(left++);
    assert_staging_is_free(queue_, s, *offset, bytes, kStaging);
    ASSERT_EQ(*offset % kLine, 0u);
    ASSERT_LE(*offset + bytes, kStaging);
    for (std::uint64_t other = left; other < s; ++other) {
      const competition::Description& live = queue_.slot(other).description;
      ASSERT_TRUE(*offset + bytes <= live.log_offset ||
                  live.staging_offset + live.staging_bytes <= *offset)
          << "requests " << other << " and " << s;
    }
    take(s, *offset, bytes / 3, bytes);
    queue_.leave(s);
    if (random() % 2 == 0) slow_.leave(left++);
  }
}

#if MPIACTOR_ASSERTIONS
using StagingRoomDeathTest = StagingRoom;

TEST_F(StagingRoomDeathTest, RangesThatOverlap) {
  take(1, 100, 64, 200);
  assert_staging_is_free(queue_, 2, 0, 100, kStaging);
  assert_staging_is_free(queue_, 2, 300, 100, kStaging);
  EXPECT_DEATH(assert_staging_is_free(queue_, 2, 0, 101, kStaging),
               "request 2 takes staging \\[0, 101\\), but request 1 is live in \\[100, 300\\)");
  EXPECT_DEATH(assert_staging_is_free(queue_, 2, 299, 1, kStaging), "request 1 is live");
}

TEST_F(StagingRoomDeathTest, RangesBeyondStaging) {
  EXPECT_DEATH(assert_staging_is_free(queue_, 1, 1, kStaging, kStaging),
               "request 1 takes staging \\[1, [0-9]*\\) of [0-9]*");
}
#endif

}  // namespace
}  // namespace mpiactor
