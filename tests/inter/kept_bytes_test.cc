#include "inter/kept_bytes.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <utility>
#include <vector>

namespace mpiactor::inter {
namespace {

constexpr std::uint64_t kLong = 256 << 10;

// Each test has a thread of its own, which keeps nothing yet.
void in_new_thread(void (*body)()) { std::thread(body).join(); }

TEST(KeptBytes, GivesTheSameMemoryAgain) {
  in_new_thread([] {
    std::byte* first = nullptr;
    {
      KeptBytes bytes(kLong);
      first = bytes.data();
      std::memset(first, 1, bytes.size());
    }
    EXPECT_EQ(KeptBytes::kept_bytes(), kLong);
    KeptBytes shorter(kLong - 1000);
    EXPECT_EQ(shorter.data(), first);
    EXPECT_EQ(shorter.size(), kLong - 1000);
    EXPECT_EQ(KeptBytes::kept_bytes(), 0U);
    KeptBytes other(kLong);
    EXPECT_NE(other.data(), first);
  });
}

TEST(KeptBytes, HoldsWhatItSays) {
  in_new_thread([] {
    for (const std::uint64_t bytes : {std::uint64_t{1}, KeptBytes::kLeastBytes, kLong, 2 * kLong}) {
      for (int time = 0; time < 2; ++time) {
        KeptBytes memory(bytes);
        ASSERT_EQ(memory.size(), bytes);
        std::memset(memory.data(), 7, bytes);
      }
    }
  });
  EXPECT_EQ(KeptBytes().data(), nullptr);
  EXPECT_EQ(KeptBytes(0).size(), 0U);
}

TEST(KeptBytes, ShortOrMuchLongerBlocksAreNotUsed) {
  in_new_thread([] {
    { KeptBytes bytes(KeptBytes::kLeastBytes - 1); }
    EXPECT_EQ(KeptBytes::kept_bytes(), 0U);
    { KeptBytes bytes(1 << 20); }
    KeptBytes small(KeptBytes::kLeastBytes);
    EXPECT_EQ(KeptBytes::kept_bytes(), 1U << 20);
  });
}

TEST(KeptBytes, KeepsNoMoreThanItsBound) {
  in_new_thread([] {
    {
      std::vector<KeptBytes> many;
      for (int i = 0; i < 20; ++i) many.emplace_back(kLong);
    }
    EXPECT_EQ(KeptBytes::kept_bytes(), KeptBytes::kMostKeptBytes);
    { KeptBytes huge(KeptBytes::kMostKeptBytes + 1); }
    EXPECT_EQ(KeptBytes::kept_bytes(), KeptBytes::kMostKeptBytes);
    // The latest stay.
    std::byte* latest = nullptr;
    {
      KeptBytes bytes(KeptBytes::kMostKeptBytes / 2);
      latest = bytes.data();
    }
    EXPECT_EQ(KeptBytes::kept_bytes(), KeptBytes::kMostKeptBytes);
    EXPECT_EQ(KeptBytes(KeptBytes::kMostKeptBytes / 2).data(), latest);
  });
}

TEST(KeptBytes, MovedMemoryIsGivenBackOnce) {
  in_new_thread([] {
    KeptBytes to;
    {
      KeptBytes from(kLong);
      std::byte* const data = from.data();
      to = std::move(from);
      EXPECT_EQ(to.data(), data);
    }
    EXPECT_EQ(KeptBytes::kept_bytes(), 0U);
    to = KeptBytes();
    EXPECT_EQ(KeptBytes::kept_bytes(), kLong);
  });
}

TEST(KeptBytes, ThreadsKeepTheirOwn) {
  in_new_thread([] {
    { KeptBytes bytes(kLong); }
    in_new_thread([] { EXPECT_EQ(KeptBytes::kept_bytes(), 0U); });
    EXPECT_EQ(KeptBytes::kept_bytes(), kLong);
  });
}

TEST(KeptBytes, KeepsNothingWhereTold) {
  KeptBytes::keep(false);
  in_new_thread([] {
    { KeptBytes bytes(kLong); }
    EXPECT_EQ(KeptBytes::kept_bytes(), 0U);
  });
  KeptBytes::keep(true);
}

}  // namespace
}  // namespace mpiactor::inter
