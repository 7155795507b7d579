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

// What copies of a length take by each kind of store.
struct Times {
  std::size_t bytes;
  std::uint64_t cached_ns;
  std::uint64_t past_caches_ns;
};
constexpr Times kNear = {kBytes, 1700, 2900};
constexpr Times kFar = {kBytes, 8500, 2900};

// Makes `copies`; how many of them went past the caches.
int make(StoreChoice& choice, int copies, const Times& times) {
  int past_caches = 0;
  for (int i = 0; i < copies; ++i) {
    const bool is_timed = choice.wants_time(times.bytes);
    const Kind kind = choice.next(times.bytes, is_timed);
    past_caches += kind == Kind::kPastCaches;
    if (is_timed)
      choice.took(times.bytes, kind,
                  kind == Kind::kCached ? times.cached_ns : times.past_caches_ns);
  }
  return past_caches;
}

Kind kind_now(const StoreChoice& choice, std::size_t bytes) { return choice.next(bytes, false); }

TEST(StoreChoice, BeginsWithCachedStoresAndTriesBoth) {
  StoreChoice choice;
  EXPECT_EQ(kind_now(choice, kBytes), Kind::kCached);
  EXPECT_EQ(make(choice, 8, kNear), 4);
  EXPECT_EQ(choice.last(), Kind::kCached);
}

TEST(StoreChoice, KeepsCachedStoresBetweenNeighbours) {
  StoreChoice choice;
  make(choice, 8, kNear);
  EXPECT_EQ(make(choice, 1600, kNear), 100);  // tries
  EXPECT_EQ(kind_now(choice, kBytes), Kind::kCached);
}

TEST(StoreChoice, GoesPastCachesWhereCachedStoresTakeLonger) {
  StoreChoice choice;
  make(choice, 8, kFar);
  EXPECT_EQ(make(choice, 1600, kFar), 1500);
  EXPECT_EQ(kind_now(choice, kBytes), Kind::kPastCaches);
  EXPECT_EQ(choice.last(), Kind::kPastCaches);
}

// As measured on cores that share a cache, and on cores that do not.
TEST(StoreChoice, TellsCoresApartAtEveryLength) {
  for (const Times& times :
       {Times{1 << 10, 180, 280}, Times{2 << 10, 211, 321}, Times{4 << 10, 290, 391},
        Times{8 << 10, 682, 561}, Times{16 << 10, 1102, 882}, Times{128 << 10, 3316, 5560}}) {
    StoreChoice choice;
    make(choice, 4000, times);
    EXPECT_EQ(kind_now(choice, times.bytes), Kind::kCached) << times.bytes;
  }
  for (const Times& times :
       {Times{1 << 10, 421, 261}, Times{2 << 10, 531, 301}, Times{4 << 10, 831, 381},
        Times{8 << 10, 831, 461}, Times{16 << 10, 1302, 782}, Times{128 << 10, 8265, 5470}}) {
    StoreChoice choice;
    make(choice, 4000, times);
    EXPECT_EQ(kind_now(choice, times.bytes), Kind::kPastCaches) << times.bytes;
  }
}

TEST(StoreChoice, ChoosesForEachLengthByItself) {
  StoreChoice choice;
  for (int i = 0; i < 1000; ++i) {
    make(choice, 1, {2 << 10, 170, 320});
    make(choice, 1, kFar);
  }
  EXPECT_EQ(kind_now(choice, 2 << 10), Kind::kCached);
  EXPECT_EQ(kind_now(choice, 3 << 10), Kind::kCached);
  EXPECT_EQ(kind_now(choice, kBytes), Kind::kPastCaches);
  EXPECT_EQ(kind_now(choice, 64 << 20), Kind::kCached);
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
  make(choice, 1, {kBytes, 1'000'000, 1});  // pages met for the first time
  for (int round = 0; round < 50; ++round) {
    make(choice, 20, kNear);
    ASSERT_EQ(kind_now(choice, kBytes), Kind::kCached) << "round " << round;
    make(choice, 1, {kBytes, 10'000'000, 10'000'000});  // preempted
    ASSERT_EQ(kind_now(choice, kBytes), Kind::kCached) << "round " << round;
  }
}

TEST(StoreChoice, FollowsAProcessThatIsMoved) {
  StoreChoice choice;
  for (int round = 0; round < 5; ++round) {
    make(choice, 300, kFar);
    ASSERT_EQ(kind_now(choice, kBytes), Kind::kPastCaches) << "round " << round;
    make(choice, 300, kNear);
    ASSERT_EQ(kind_now(choice, kBytes), Kind::kCached) << "round " << round;
  }
}

// Of any length, wherever source and target lie in their pages, and nothing beside the target.
void copies_exactly(void (*copy)(void*, const void*, std::size_t)) {
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
  for (int i = 0; i < 300; ++i) {
    const std::size_t most = std::size_t{1} << (1 + below(20));
    const std::size_t bytes = below(most + (i % 7 == 0 ? 2000 : 1));
    const std::size_t from = below(kPage);
    // Just above it as often as anywhere.
    const std::size_t place = reinterpret_cast<std::uintptr_t>(source.data()) + from;
    const std::size_t to = begin + (i % 2 == 0 ? (place + below(66)) % kPage : below(kPage));
    copy(target.data() + to, source.data() + from, bytes);
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

TEST(CopyBytes, CopiesExactlyWhatItIsGiven) { copies_exactly(copy_bytes); }
TEST(CopyToShared, CopiesExactlyWhatItIsGiven) { copies_exactly(copy_to_shared); }
TEST(CopyPastCaches, CopiesExactlyWhatItIsGiven) { copies_exactly(copy_past_caches); }

}  // namespace
}  // namespace mpiactor::shm
