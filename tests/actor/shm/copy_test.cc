#include "actor/shm/copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace mpiactor::shm {
namespace {

using Kind = StoreChoice::Kind;

constexpr std::size_t kBytes = 64 << 10;
constexpr std::uint64_t kQuickNs = kBytes / 20;    // 20 GB/s
constexpr std::uint64_t kCrawlingNs = kBytes / 2;  // 2 GB/s
constexpr bool kTimed = true;

void take(StoreChoice& choice, int copies, std::uint64_t ns) {
  for (int i = 0; i < copies; ++i) choice.took(kBytes, ns);
}

// Of any length, wherever source and target lie in their pages, and nothing beside the target.
TEST(CopyBytes, CopiesEveryByteAndNoOther) {
  constexpr std::size_t kPage = 4096;
  constexpr std::byte kGuard{0x5a};
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto below = [&](std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
  };
  std::vector<std::byte> source((2 << 20) + kPage);
  for (std::byte& byte : source) byte = static_cast<std::byte>(random());
  std::vector<std::byte> target(source.size() + 2 * kPage, kGuard);
  const std::size_t begin = (kPage - reinterpret_cast<std::uintptr_t>(target.data()) % kPage);
  for (int i = 0; i < 500; ++i) {
    const std::size_t most = std::size_t{1} << (1 + below(20));
    const std::size_t bytes = below(most + (i % 7 == 0 ? 2000 : 1));
    const std::size_t from = below(kPage);
    // Just above it as often as anywhere.
    const std::size_t place = reinterpret_cast<std::uintptr_t>(source.data()) + from;
    const std::size_t to = begin + (i % 2 == 0 ? (place + below(66)) % kPage : below(kPage));
    copy_bytes(target.data() + to, source.data() + from, bytes);
    const auto got = target.begin() + static_cast<std::ptrdiff_t>(to);
    const auto end = got + static_cast<std::ptrdiff_t>(bytes);
    EXPECT_TRUE(std::equal(got, end, source.begin() + static_cast<std::ptrdiff_t>(from)))
        << bytes << " bytes from " << from << " to " << to - begin;
    std::fill(got, end, kGuard);
    EXPECT_EQ(std::count(target.begin(), target.end(), kGuard),
              static_cast<std::ptrdiff_t>(target.size()))
        << bytes << " bytes from " << from << " to " << to - begin;
  }
}

TEST(StoreChoice, KeepsCachedStoresThatAreQuick) {
  StoreChoice choice;
  take(choice, 1000, kQuickNs);
  EXPECT_EQ(choice.next(kTimed), Kind::kCached);
}

TEST(StoreChoice, GoesPastCachesWhereStoresCrawl) {
  StoreChoice choice;
  take(choice, 8, kCrawlingNs);
  EXPECT_EQ(choice.next(kTimed), Kind::kPastCaches);
}

// As measured on cores that share a cache, and on cores that do not.
TEST(StoreChoice, TellsShortCopiesApart) {
  struct Times {
    std::size_t bytes;
    std::uint64_t near_ns;
    std::uint64_t far_ns;
  };
  for (const Times& times : {Times{1 << 10, 210, 670}, Times{2 << 10, 340, 940},
                             Times{4 << 10, 680, 1490}, Times{8 << 10, 1250, 2270}}) {
    StoreChoice near;
    StoreChoice far;
    for (int i = 0; i < 8; ++i) {
      near.took(times.bytes, times.near_ns);
      far.took(times.bytes, times.far_ns);
    }
    EXPECT_EQ(near.next(kTimed), Kind::kCached) << times.bytes;
    EXPECT_EQ(far.next(kTimed), Kind::kPastCaches) << times.bytes;
  }
}

TEST(StoreChoice, TimesOneCopyInSoManyBytes) {
  StoreChoice choice;
  int timed = 0;
  for (int i = 0; i < 64; ++i) timed += choice.wants_time(4 << 10);
  EXPECT_EQ(timed, 8);
  EXPECT_TRUE(choice.wants_time(64 << 10));
  EXPECT_TRUE(choice.wants_time(64 << 10));
}

TEST(StoreChoice, IsNotMisledByFewSlowCopies) {
  StoreChoice choice;
  for (int round = 0; round < 50; ++round) {
    take(choice, 4, kCrawlingNs);  // preempted
    take(choice, 4, kQuickNs);
    ASSERT_EQ(choice.next(kTimed), Kind::kCached) << "round " << round;
  }
}

TEST(StoreChoice, TriesCachedStoresAgainAndReturnsToThem) {
  StoreChoice choice;
  take(choice, 8, kCrawlingNs);
  int copies = 0;
  while (choice.next(kTimed) == Kind::kPastCaches && copies < 1000) {
    choice.took(kBytes, kQuickNs);
    ++copies;
  }
  EXPECT_EQ(copies, 32);
  EXPECT_EQ(choice.next(!kTimed), Kind::kPastCaches);
  choice.took(kBytes, kCrawlingNs);  // the trial: no better
  EXPECT_EQ(choice.next(kTimed), Kind::kPastCaches);
  take(choice, 32, kQuickNs);
  ASSERT_EQ(choice.next(kTimed), Kind::kCached);
  choice.took(kBytes, kQuickNs);  // the process was moved next to its reader
  EXPECT_EQ(choice.next(kTimed), Kind::kCached);
  EXPECT_EQ(choice.next(!kTimed), Kind::kCached);
  take(choice, 7, kQuickNs);
  EXPECT_EQ(choice.next(kTimed), Kind::kCached);
}

void copies_exactly(void (*copy)(void*, const void*, std::size_t)) {
  const unsigned seed = std::random_device{}();
  ::testing::Test::RecordProperty("seed", static_cast<int>(seed));
  std::mt19937 random(seed);
  std::vector<std::byte> from(40'000);
  for (std::byte& byte : from) byte = static_cast<std::byte>(random());
  for (int round = 0; round < 300; ++round) {
    const std::size_t bytes = random() % 30'000;
    const std::size_t source = random() % 100;
    const std::size_t target = random() % 100;
    std::vector<std::byte> to(bytes + 300, std::byte{0xee});
    copy(to.data() + target, from.data() + source, bytes);
    for (std::size_t i = 0; i < to.size(); ++i) {
      const bool inside = i >= target && i < target + bytes;
      const std::byte wanted = inside ? from[source + i - target] : std::byte{0xee};
      ASSERT_EQ(to[i], wanted) << "seed " << seed << " round " << round << " byte " << i;
    }
  }
}

TEST(CopyToShared, CopiesExactlyWhatItIsGiven) { copies_exactly(copy_to_shared); }
TEST(CopyPastCaches, CopiesExactlyWhatItIsGiven) { copies_exactly(copy_past_caches); }

}  // namespace
}  // namespace mpiactor::shm
