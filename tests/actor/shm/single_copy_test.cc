#include "actor/shm/single_copy.h"

#include <errno.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <numeric>
#include <vector>

namespace mpiactor::shm {
namespace {

std::uint64_t address_of(const void* memory) { return reinterpret_cast<std::uint64_t>(memory); }

// A process that waits to be read, with its memory as this one's was when it began.
class OtherProcess {
 public:
  template <typename Change>
  explicit OtherProcess(Change change) {
    int ready[2];
    EXPECT_EQ(pipe(ready), 0);
    pid_ = fork();
    if (pid_ == 0) {
      change();
      const char done = 1;
      if (write(ready[1], &done, 1) == 1) pause();
      _exit(1);
    }
    char done = 0;
    EXPECT_EQ(read(ready[0], &done, 1), 1);
    close(ready[0]);
    close(ready[1]);
  }
  ~OtherProcess() { end(); }
  void end() {
    if (pid_ == 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  int pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
};

TEST(ReadProcess, ReadsTheOthersMemoryAndNothingMore) {
  std::vector<int> memory(300'000, -1);
  const OtherProcess other([&] { std::iota(memory.begin(), memory.end(), 0); });
  std::vector<int> got(1002, -2);
  ASSERT_TRUE(read_process(other.pid(), address_of(&memory[250'000]), &got[1], 1000 * sizeof(int)))
      << strerror(errno);
  EXPECT_EQ(got.front(), -2);
  EXPECT_EQ(got.back(), -2);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(got[static_cast<std::size_t>(i) + 1], 250'000 + i);
  EXPECT_EQ(memory[250'000], -1) << "this process has its own";
}

TEST(ReadProcess, NoBytesCanAlwaysBeHad) { EXPECT_TRUE(read_process(getpid(), 0, nullptr, 0)); }

TEST(ReadProcess, SaysWhereMemoryEnds) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto* const memory = static_cast<char*>(
      mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(memory, MAP_FAILED);
  const OtherProcess other([&] { munmap(memory + page, page); });
  std::vector<char> got(2 * page);
  EXPECT_TRUE(read_process(other.pid(), address_of(memory), got.data(), page));
  EXPECT_FALSE(read_process(other.pid(), address_of(memory), got.data(), 2 * page));
  EXPECT_EQ(errno, EFAULT);
  EXPECT_FALSE(read_process(other.pid(), address_of(memory + page), got.data(), 1));
  EXPECT_EQ(errno, EFAULT);
  munmap(memory, 2 * page);
}

TEST(ReadProcess, SaysThatTheProcessIsGone) {
  const int value = 1;
  OtherProcess other([] {});
  const int pid = other.pid();
  other.end();
  int got = 0;
  EXPECT_FALSE(read_process(pid, address_of(&value), &got, sizeof got));
  EXPECT_EQ(errno, ESRCH);
}

TEST(WriteProcess, WritesTheOthersMemoryAndNothingMore) {
  std::vector<int> memory(300'000, -1);
  const OtherProcess other([] {});
  const std::vector<int> given(1000, 7);
  ASSERT_TRUE(
      write_process(other.pid(), address_of(&memory[250'000]), given.data(), 1000 * sizeof(int)))
      << strerror(errno);
  std::vector<int> got(1002);
  ASSERT_TRUE(
      read_process(other.pid(), address_of(&memory[249'999]), got.data(), 1002 * sizeof(int)));
  EXPECT_EQ(got.front(), -1);
  EXPECT_EQ(got.back(), -1);
  for (int i = 1; i <= 1000; ++i) ASSERT_EQ(got[static_cast<std::size_t>(i)], 7);
  EXPECT_EQ(memory[250'000], -1) << "this process has its own";
}

TEST(WriteProcess, SaysWhereMemoryMayNotBeWritten) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto* const memory = static_cast<char*>(
      mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(memory, MAP_FAILED);
  const OtherProcess other([&] { mprotect(memory + page, page, PROT_READ); });
  const std::vector<char> given(2 * page);
  EXPECT_TRUE(write_process(other.pid(), address_of(memory), given.data(), page));
  EXPECT_FALSE(write_process(other.pid(), address_of(memory), given.data(), 2 * page));
  EXPECT_EQ(errno, EFAULT);
  munmap(memory, 2 * page);
}

}  // namespace
}  // namespace mpiactor::shm
