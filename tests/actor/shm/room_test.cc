// A taker that comes before the giver, after it, or never.
#include "actor/shm/room.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace mpiactor::shm {
namespace {

constexpr bool kWaits = true;

std::vector<std::byte> bytes_of(const std::string& text) {
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

TEST(Room, IsFilledInItsRequestAlone) {
  Room room;
  const std::vector<std::byte> given = bytes_of("bytes");
  std::vector<std::byte> place(given.size());
  EXPECT_FALSE(room.fill(1, given.data(), given.size(), !kWaits)) << "nobody has come";
  room.open(33, place.data(), place.size());
  EXPECT_FALSE(room.fill(1, given.data(), given.size(), !kWaits)) << "of an earlier request";
  EXPECT_FALSE(room.fill(65, given.data(), given.size(), !kWaits)) << "of a later request";
  EXPECT_EQ(place, std::vector<std::byte>(given.size()));
  EXPECT_TRUE(room.fill(33, given.data(), given.size(), !kWaits));
  EXPECT_EQ(place, given);
}

TEST(Room, TakesNoMoreThanItHas) {
  Room room;
  const std::vector<std::byte> given = bytes_of("too long");
  std::vector<std::byte> place(given.size());
  room.open(1, place.data(), 3);
  EXPECT_TRUE(room.fill(1, given.data(), given.size(), !kWaits));
  EXPECT_EQ(place, bytes_of(std::string("too\0\0\0\0\0", 8)));
}

TEST(Room, SaysThatItCannotBeWritten) {
  Room room;
  const std::vector<std::byte> given = bytes_of("bytes");
  room.open(1, nullptr, given.size());
  EXPECT_FALSE(room.fill(1, given.data(), given.size(), !kWaits));
}

// Whichever comes first: a room that was filled has all bytes, one that was not has none.
TEST(Room, IsFilledWholeOrNotAtAll) {
  constexpr std::uint64_t kRequests = 300;
  constexpr std::size_t kBytes = 64 << 10;
  Room room;
  std::atomic<std::uint64_t> done{0};  // requests that the giver has ended
  std::vector<char> filled(kRequests + 1);
  std::thread giver([&] {
    std::vector<std::byte> given(kBytes);
    for (std::uint64_t request = 1; request <= kRequests; ++request) {
      std::memset(given.data(), static_cast<int>(request % 255 + 1), kBytes);
      filled[request] = room.fill(request, given.data(), kBytes, request % 2 == 0);
      done.store(request, std::memory_order_release);
    }
  });
  std::vector<std::byte> place(kBytes);
  for (std::uint64_t request = 1; request <= kRequests; ++request) {
    std::memset(place.data(), 0, kBytes);
    room.open(request, place.data(), kBytes);
    while (done.load(std::memory_order_acquire) < request) std::this_thread::yield();
    const auto expected = static_cast<std::byte>(filled[request] ? request % 255 + 1 : 0);
    EXPECT_EQ(place, std::vector<std::byte>(kBytes, expected)) << "request " << request;
  }
  giver.join();
}

}  // namespace
}  // namespace mpiactor::shm
