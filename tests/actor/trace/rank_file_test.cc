#include "actor/trace/rank_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

std::vector<off_t> reserved_from;  // where each reservation of a file's blocks began

}  // namespace

// In place of the C library's.
extern "C" int posix_fallocate(int file, off_t from, off_t bytes) {
  reserved_from.push_back(from);
  return fallocate(file, 0, from, bytes) == 0 ? 0 : errno;
}

namespace mpiactor::trace {
namespace {

std::string scratch(const std::string& name) {
  const char* const folder = std::getenv("TEST_TMPDIR");
  return std::string(folder ? folder : "/tmp") + "/" + name;
}

Record record_of(std::int64_t number) {
  Record record{};
  record.arrival_ns = number;
  record.exit_ns = number + 1;
  record.bytes = static_cast<std::uint64_t>(number) * 3;
  return record;
}

struct Section {
  SectionHeader header;
  std::vector<Record> records;  // those that the file's length has room for
};

Section read(const std::string& path) {
  Section section{};
  std::ifstream in(path, std::ios::binary);
  in.read(reinterpret_cast<char*>(&section.header), sizeof section.header);
  in.seekg(section.header.call_site_room * sizeof(CallSite), std::ios::cur);
  Record record;
  while (in.read(reinterpret_cast<char*>(&record), sizeof record))
    section.records.push_back(record);
  return section;
}

TEST(RankFile, ClosedFileHoldsItsRecordsAndNoMore) {
  const std::string path = scratch("closed");
  std::string why;
  SectionHeader header{};
  header.rank = 3;
  header.job = 77;
  const auto file = RankFile::create(path, header, 100, why);
  ASSERT_TRUE(file) << why;
  for (int i = 1; i <= 5; ++i) file->append(record_of(i));
  file->close({.local_ns = 9, .offset_ns = 8, .uncertainty_ns = 7});

  const Section section = read(path);
  EXPECT_EQ(std::string(section.header.magic, 8), "MPIACTRC");
  EXPECT_EQ(section.header.version, 3u);
  EXPECT_EQ(section.header.state, SectionState::kClosed);
  EXPECT_EQ(section.header.rank, 3u);
  EXPECT_EQ(section.header.job, 77u);
  EXPECT_EQ(section.header.records, 5u);
  EXPECT_EQ(section.header.end.offset_ns, 8);
  ASSERT_EQ(section.records.size(), 5u);
  EXPECT_EQ(section.records[4].arrival_ns, 5);
  EXPECT_EQ(section.records[4].bytes, 15u);
  EXPECT_EQ(section.records[4].stamp, kWholeRecord);
}

TEST(RankFile, FullRingKeepsTheNewest) {
  const std::string path = scratch("ring");
  std::string why;
  const auto file = RankFile::create(path, {}, 4, why);
  ASSERT_TRUE(file) << why;
  for (int i = 1; i <= 10; ++i) file->append(record_of(i));
  file->close({});
  const Section section = read(path);
  EXPECT_EQ(section.header.claimed, 10u);
  EXPECT_EQ(section.header.records, 4u);
  std::vector<std::int64_t> arrivals;
  for (const Record& record : section.records) arrivals.push_back(record.arrival_ns);
  EXPECT_EQ(arrivals, (std::vector<std::int64_t>{9, 10, 7, 8}));
}

TEST(RankFile, GrowsInSteps) {
  const std::string path = scratch("growing");
  std::string why;
  const auto file = RankFile::create(path, {}, 10000, why);
  ASSERT_TRUE(file) << why;
  struct stat facts;
  ASSERT_EQ(stat(path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_size, 512 + 1024 * 512 + 4096 * 128);
  reserved_from.clear();
  for (int i = 1; i <= 9000; ++i) file->append(record_of(i));
  EXPECT_EQ(reserved_from, (std::vector<off_t>{facts.st_size, facts.st_size + 4096 * 128}))
      << "not the new part alone: a program's timer could interrupt the way through the whole file";
  file->close({});
  const Section section = read(path);
  ASSERT_EQ(section.records.size(), 9000u);
  EXPECT_EQ(section.records[8999].arrival_ns, 9000);
}

TEST(RankFile, ThreadsLoseNothing) {
  const std::string path = scratch("threads");
  std::string why;
  const auto file = RankFile::create(path, {}, 20000, why);
  ASSERT_TRUE(file) << why;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 2500; ++i) file->append(record_of(t * 2500 + i + 1));
    });
  }
  for (std::thread& thread : threads) thread.join();
  file->close({});
  const Section section = read(path);
  std::int64_t sum = 0;
  for (const Record& record : section.records) sum += record.arrival_ns;
  EXPECT_EQ(section.records.size(), 10000u);
  EXPECT_EQ(sum, 10000ll * 10001 / 2);
}

TEST(RankFile, KilledProcessLeavesItsRecords) {
  const std::string path = scratch("killed");
  const pid_t child = fork();
  if (child == 0) {
    std::string why;
    const auto file = RankFile::create(path, {}, 100, why);
    for (int i = 1; i <= 7; ++i) file->append(record_of(i));
    raise(SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  const Section section = read(path);
  EXPECT_EQ(section.header.state, SectionState::kOpen);
  EXPECT_EQ(section.header.claimed, 7u);
  ASSERT_GE(section.records.size(), 8u);
  EXPECT_EQ(section.records[6].arrival_ns, 7);
  EXPECT_EQ(section.records[6].stamp, kWholeRecord);
  EXPECT_EQ(section.records[7].stamp, 0);
}

// In a process with a limit of `bytes` on the length of its files, what growing says; -1: it died.
int growth_error_with_limit(rlim_t bytes) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit = {bytes, bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
    std::string why;
    const auto file = RankFile::create(scratch("limited"), {}, 10000, why);
    if (!file) _exit(why.ends_with(": File too large") ? 100 : 101);
    for (int i = 1; i <= 9000; ++i) file->append(record_of(i));
    file->close({});
    _exit(file->growth_error());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(RankFile, StaysBelowTheLimitOnFiles) {
  EXPECT_EQ(growth_error_with_limit(1000), 100);
  EXPECT_EQ(growth_error_with_limit(1'200'000), EFBIG);
  const Section section = read(scratch("limited"));
  EXPECT_EQ(section.header.claimed, 9000u);
  EXPECT_EQ(section.records.size(), 4096u);
  EXPECT_EQ(growth_error_with_limit(3'000'000), 0);
}

// Programs that become daemons close all descriptors; the next file gets the number.
TEST(RankFile, ClosedDescriptorsBelongToOthers) {
  for (const bool is_moved : {false, true}) {
    const std::string path = scratch("closed_behind");
    std::string why;
    const int number = dup(0);
    close(number);
    const auto file = RankFile::create(path, {}, 10000, why);
    ASSERT_TRUE(file) << why;
    file->append(record_of(1));
    close(number);
    const std::string other = scratch("other");
    std::FILE* const stream = std::fopen(other.c_str(), "w");
    ASSERT_EQ(fileno(stream), number);
    std::fputs("untouched", stream);
    std::fflush(stream);
    const std::string moved = path + ".moved";
    if (is_moved) std::rename(path.c_str(), moved.c_str());
    for (int i = 2; i <= 5000; ++i) file->append(record_of(i));
    file->close({});
    struct stat facts;
    ASSERT_EQ(fstat(number, &facts), 0);
    EXPECT_EQ(facts.st_size, 9);
    const Section section = read(is_moved ? moved : path);
    EXPECT_EQ(section.header.claimed, 5000u);
    EXPECT_EQ(section.header.records, is_moved ? 4096u : 5000u);
    EXPECT_EQ(file->growth_error(), is_moved ? EBADF : 0);
    EXPECT_EQ(std::fclose(stream), 0);
  }
}

// A second job, or one that the first has started, with the same MPIACTOR_TRACE.
TEST(RankFile, TwoOfOneNameKeepOutOfEachOthersWay) {
  const std::string path = scratch("same");
  std::string why;
  const auto first = RankFile::create(path, {}, 10000, why);
  ASSERT_TRUE(first) << why;
  for (int i = 1; i <= 5000; ++i) first->append(record_of(i));
  const auto second = RankFile::create(path, {}, 10000, why);
  ASSERT_TRUE(second) << why;
  for (int i = 5001; i <= 9000; ++i) first->append(record_of(i));
  second->append(record_of(1));
  first->close({});
  EXPECT_EQ(first->records().back().arrival_ns, 9000);
  first->remove();
  EXPECT_EQ(read(path).header.claimed, 1u);
  second->remove();
  EXPECT_NE(access(path.c_str(), F_OK), 0);
}

TEST(RankFile, TakesTheNameOfAFileAlone) {
  const std::string path = scratch("link");
  ASSERT_EQ(symlink("elsewhere", path.c_str()), 0);
  std::string why;
  EXPECT_FALSE(RankFile::create(path, {}, 10, why));
  EXPECT_EQ(why, "cannot write '" + path + "': not a regular file");
  struct stat facts;
  EXPECT_EQ(lstat(path.c_str(), &facts), 0);
}

TEST(RankFile, SaysWhichFileCannotBeWrittenAndWhy) {
  std::string why;
  EXPECT_FALSE(RankFile::create("/no-such-folder/trace.0", {}, 10, why));
  EXPECT_EQ(why, "cannot write '/no-such-folder/trace.0': No such file or directory");
}

}  // namespace
}  // namespace mpiactor::trace
