// Segments are private, are not reached through names that somebody else has made, and are not
// shared with children of the process.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "actor/shm/segment.h"

namespace {
std::optional<std::size_t> free_bytes_of_1024;
bool has_unnamed_files = true;
int signals_to_come = 0;
}  // namespace

// In front of the system's: a system without unnamed files, where the tests want one.
extern "C" int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if ((flags & O_TMPFILE) == O_TMPFILE && !has_unnamed_files) {
    errno = EOPNOTSUPP;
    return -1;
  }
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

// The same: signals that come while it allocates.
extern "C" int posix_fallocate(int descriptor, off_t offset, off_t bytes) {
  if (signals_to_come > 0) {
    --signals_to_come;
    return EINTR;
  }
  return fallocate(descriptor, 0, offset, bytes) == 0 ? 0 : errno;
}

// The same: a file system of 1,024 bytes.
extern "C" int statvfs(const char*, struct statvfs* facts) {
  *facts = {};
  facts->f_frsize = 1;
  facts->f_blocks = free_bytes_of_1024 ? 1024 : 0;
  facts->f_bavail = free_bytes_of_1024.value_or(0);
  return 0;
}

namespace mpiactor::shm {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBytes = 8192;

struct stat facts_of(const Segment& segment) {
  struct stat facts;
  EXPECT_EQ(fstat(segment.address().descriptor, &facts), 0);
  return facts;
}

// What attach() says of this address; empty: it takes it.
std::string refusal(const Segment::Address& address, std::size_t bytes = kBytes) {
  try {
    Segment::attach(address, bytes);
  } catch (const SegmentError& error) {
    return error.what();
  }
  return {};
}

// The same of this descriptor.
std::string refusal(int descriptor, std::size_t bytes = kBytes) {
  struct stat facts {};
  fstat(descriptor, &facts);
  return refusal({static_cast<int>(getpid()), descriptor, facts.st_dev, facts.st_ino}, bytes);
}

// A file as create() makes them, to be spoiled.
int unnamed_file() {
  const int descriptor = open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  EXPECT_GE(descriptor, 0);
  EXPECT_EQ(ftruncate(descriptor, kBytes), 0);
  return descriptor;
}

// Runs `body` in a child; its exit status, or 1000 + the signal that ended it.
template <typename Body>
int in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

TEST(SegmentSafety, IsPrivateWhateverTheUmask) {
  for (const mode_t mask : {mode_t{0}, mode_t{0777}}) {
    const mode_t before = umask(mask);
    const Segment mine = Segment::create(kBytes, kBytes);
    umask(before);
    EXPECT_EQ(facts_of(mine).st_mode & 07777, 0600u);
    EXPECT_EQ(facts_of(mine).st_nlink, 0u);
    EXPECT_EQ(refusal(mine.address().descriptor), "");
  }
}

TEST(SegmentSafety, CannotBeGivenAName) {
  const Segment mine = Segment::create(kBytes, kBytes);
  const std::string path = "/proc/self/fd/" + std::to_string(mine.address().descriptor);
  const std::string name = "/dev/shm/mpiactor_test." + std::to_string(getpid());
  EXPECT_NE(linkat(AT_FDCWD, path.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW), 0);
  EXPECT_FALSE(fs::exists(name));
  fs::remove(name);
}

TEST(SegmentSafety, WhatWasMadeOtherwiseIsRefused) {
  int descriptor = unnamed_file();
  EXPECT_EQ(refusal(descriptor), "");
  EXPECT_NE(refusal(descriptor, 2 * kBytes).find("of another size"), std::string::npos);
  fchmod(descriptor, 0660);
  EXPECT_NE(refusal(descriptor).find("open to other users"), std::string::npos);
  close(descriptor);

  const std::string name = "/dev/shm/mpiactor_test." + std::to_string(getpid());
  descriptor = open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
  ASSERT_EQ(ftruncate(descriptor, kBytes), 0);
  EXPECT_NE(refusal(descriptor).find("a file with a name"), std::string::npos);
  fs::remove(name);
  close(descriptor);

  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  EXPECT_NE(refusal(pipe_ends[0]).find("not a regular file"), std::string::npos);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

// Where ranks number processes differently, the process of that number has a segment of its own at
// the descriptor's number.
TEST(SegmentSafety, AnotherSegmentAtTheAddressIsRefused) {
  const Segment mine = Segment::create(kBytes, kBytes);
  const Segment other = Segment::create(kBytes, kBytes);
  EXPECT_EQ(refusal(mine.address()), "");
  Segment::Address wrong = mine.address();
  wrong.descriptor = other.address().descriptor;
  EXPECT_NE(refusal(wrong).find("not a segment of this job: another file"), std::string::npos);
  wrong = mine.address();
  ++wrong.device;
  EXPECT_NE(refusal(wrong).find("not a segment of this job: another file"), std::string::npos);
}

TEST(SegmentSafety, AnotherUsersIsRefused) {
  const int descriptor = unnamed_file();
  if (fchown(descriptor, geteuid() + 1, static_cast<gid_t>(-1)) != 0) {
    close(descriptor);
    GTEST_SKIP() << "not permitted to give a file away";
  }
  EXPECT_NE(refusal(descriptor).find("another user's"), std::string::npos);
  close(descriptor);
}

TEST(SegmentSafety, ALimitOnTheLengthOfFilesIsAnErrorAndNotASignal) {
  const int status = in_child([] {
    rlimit limit{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      Segment::create(kBytes, kBytes);
    } catch (const SegmentError& error) {
      return std::string(error.what()).find("File too large") == std::string::npos ? 1 : 0;
    }
    return 2;
  });
  EXPECT_EQ(status, 0);
}

TEST(SegmentSafety, SignalsAreNoError) {
  signals_to_come = 3;
  const Segment mine = Segment::create(kBytes, kBytes);
  EXPECT_EQ(signals_to_come, 0);
  EXPECT_EQ(facts_of(mine).st_blocks * 512, static_cast<blkcnt_t>(kBytes));
}

TEST(SegmentSafety, AQuarterOfTheFileSystemStaysFree) {
  free_bytes_of_1024 = 1024;
  EXPECT_NO_THROW(Segment::create(1024, 768));
  EXPECT_THROW(Segment::create(1024, 769), SegmentError);
  free_bytes_of_1024 = 700;
  EXPECT_TRUE(leaves_enough_free(444));
  EXPECT_FALSE(leaves_enough_free(445));
  free_bytes_of_1024.reset();
  EXPECT_NO_THROW(Segment::create(kBytes, kBytes));
}

TEST(SegmentSafety, AChildHasItNot) {
#ifndef NDEBUG
  GTEST_SKIP() << "children of debug builds have it";
#endif
  const Segment mine = Segment::create(kBytes, kBytes);
  const Segment other = Segment::attach(mine.address(), kBytes);
  EXPECT_EQ(in_child([&] {
              // Either says that nothing is mapped there, in a child as in its exit handlers.
              unsigned char pages[2];
              const bool mapped = mincore(mine.data(), kBytes, pages) == 0 ||
                                  mincore(other.data(), kBytes, pages) == 0;
              return mapped ? 1 : 0;
            }),
            0);
  mine.data()[0] = std::byte{1};
  EXPECT_EQ(other.data()[0], std::byte{1});
}

// The names that a system without unnamed files would use next.
std::string name_number(int number) {
  return "/dev/shm/mpiactor." + std::to_string(getuid()) + ".job_7." + std::to_string(getpid()) +
         "." + std::to_string(number);
}

TEST(SegmentSafety, NamesThatAreThereAreNeverFollowed) {
  has_unnamed_files = false;
  setenv("PMI_JOBID", "job/7", 1);
  const std::string victim = std::string(getenv("TEST_TMPDIR")) + "/victim";
  std::ofstream(victim) << "untouched";
  // A link to a file, one to nothing, a stale file.
  fs::create_symlink(victim, name_number(0));
  fs::create_symlink(victim + ".absent", name_number(1));
  std::ofstream(name_number(2)) << "stale";
  {
    const Segment mine = Segment::create(kBytes, kBytes);
    EXPECT_EQ(facts_of(mine).st_mode & 07777, 0600u);
    EXPECT_EQ(facts_of(mine).st_nlink, 0u);
    EXPECT_EQ(mine.data()[0], std::byte{0});
  }
  EXPECT_FALSE(fs::exists(name_number(3)));
  EXPECT_EQ(fs::file_size(victim), 9u);
  EXPECT_FALSE(fs::exists(victim + ".absent"));
  EXPECT_EQ(fs::file_size(name_number(2)), 5u);
  // So many that it gives up.
  for (int number = 4; number < 40; ++number) fs::create_symlink(victim, name_number(number));
  EXPECT_THROW(Segment::create(kBytes, kBytes), SegmentError);
  EXPECT_EQ(fs::file_size(victim), 9u);
  for (int number = 0; number < 40; ++number) fs::remove(name_number(number));
  has_unnamed_files = true;
}

}  // namespace
}  // namespace mpiactor::shm
