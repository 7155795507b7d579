#include "actor/shm/segment.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

namespace mpiactor::shm {
namespace {

int names_of_this_process() {
  int count = 0;
  const std::string mark = "." + std::to_string(getpid()) + ".";
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
    const std::string name = entry.path().filename();
    count += name.starts_with("mpiactor.") && name.find(mark) != std::string::npos;
  }
  return count;
}

TEST(Segment, AnotherProcessSeesTheBytesAndNoNameIsLeft) {
  Segment mine = Segment::create(100000, 100000);
  EXPECT_EQ(names_of_this_process(), 0);
  EXPECT_EQ(mine.size(), 100000u);
  EXPECT_EQ(mine.data()[99999], std::byte{0});
  std::strcpy(reinterpret_cast<char*>(mine.data()) + 5000, "from the creator");
  const Segment::Address address = mine.address();
  const pid_t child = fork();
  if (child == 0) {
    Segment theirs = Segment::attach(address, 100000);
    const bool seen =
        std::strcmp(reinterpret_cast<char*>(theirs.data()) + 5000, "from the creator") == 0;
    std::strcpy(reinterpret_cast<char*>(theirs.data()), "from the other");
    _exit(seen ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_STREQ(reinterpret_cast<char*>(mine.data()), "from the other");
}

TEST(Segment, TheAddressIsVoidWhenTheDescriptorIsClosed) {
  Segment mine = Segment::create(4096, 4096);
  const Segment::Address address = mine.address();
  mine.close_descriptor();
  EXPECT_THROW(Segment::attach(address, 4096), SegmentError);
  mine.data()[0] = std::byte{1};  // the memory stays
}

TEST(Segment, WhatIsNotASegmentIsRefused) {
  EXPECT_THROW(Segment::attach({static_cast<int>(getpid()), 9999, 0, 0}, 4096), SegmentError);
  const int null_device = open("/dev/null", O_RDWR);
  EXPECT_THROW(Segment::attach({static_cast<int>(getpid()), null_device, 0, 0}, 4096),
               SegmentError);
  close(null_device);
  Segment mine = Segment::create(4096, 4096);
  EXPECT_THROW(Segment::attach(mine.address(), 8192), SegmentError);
}

TEST(Segment, TooMuchIsAnErrorAndNotASignal) {
  try {
    Segment::create(std::size_t{1} << 46, std::size_t{1} << 46);
    FAIL() << "64 TiB were reserved";
  } catch (const SegmentError& error) {
    EXPECT_NE(std::string(error.what()).find("reserving"), std::string::npos) << error.what();
  }
  EXPECT_EQ(names_of_this_process(), 0);
}

TEST(Segment, MemoryCanComeLater) {
  Segment mine = Segment::create(1 << 20, 4096);
  ASSERT_TRUE(mine.reserve(4096, (1 << 20) - 4096));
  mine.data()[(1 << 20) - 1] = std::byte{7};
  EXPECT_EQ(mine.data()[(1 << 20) - 1], std::byte{7});
}

// Bytes that the segment's file has.
std::size_t bytes_given(const Segment& segment) {
  struct stat facts;
  EXPECT_EQ(fstat(segment.address().descriptor, &facts), 0);
  return static_cast<std::size_t>(facts.st_blocks) * 512;
}

TEST(Segment, ProgramsThatLockTheirMemoryGetNoMore) {
  constexpr std::size_t kBytes = 2 << 20;  // twice below what users may lock
  const pid_t child = fork();
  if (child == 0) {
    if (mlockall(MCL_FUTURE) != 0) _exit(2);
    const Segment mine = Segment::create(kBytes, 4096);
    const Segment theirs = Segment::attach(mine.address(), kBytes);
    mine.data()[0] = std::byte{7};
    if (theirs.data()[0] != std::byte{7}) _exit(3);
    _exit(bytes_given(mine) <= 2 * 4096 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 2) GTEST_SKIP() << "no memory may be locked here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace mpiactor::shm
