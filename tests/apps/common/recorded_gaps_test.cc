#include "apps/common/recorded_gaps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace mpiactor::apps {
namespace {

using ::testing::HasSubstr;

using Calls = std::vector<std::pair<std::int64_t, std::int64_t>>;  // arrival and exit, ns

template <typename Number>
void put(std::string& bytes, std::size_t offset, Number number) {
  std::memcpy(bytes.data() + offset, &number, sizeof number);
}

// A rank's section as docs/tracing.md describes it, with room for two call sites.
std::string section(std::uint32_t rank, std::uint32_t ranks, const Calls& calls,
                    std::uint32_t version = 3, std::uint32_t closed = 1) {
  constexpr std::uint32_t kSites = 2;
  std::string bytes(512 + kSites * 512, '\0');
  std::memcpy(bytes.data(), "MPIACTRC", 8);
  put(bytes, 8, version);
  put(bytes, 12, std::uint32_t{512});
  put(bytes, 16, std::uint32_t{128});
  put(bytes, 20, closed);
  put(bytes, 24, ranks);
  put(bytes, 28, rank);
  put(bytes, 64, static_cast<std::uint64_t>(calls.size()));
  put(bytes, 304, std::uint32_t{512});
  put(bytes, 308, kSites);
  for (const auto& [arrival_ns, exit_ns] : calls) {
    std::string record(128, '\0');
    put(record, 0, arrival_ns);
    put(record, 32, exit_ns);
    put(record, 77, std::uint8_t{0xa5});
    bytes += record;
  }
  return bytes;
}

std::string file_of(const std::string& bytes) {
  const char* directory = std::getenv("TEST_TMPDIR");
  const std::string path = std::string(directory ? directory : "/tmp") + "/made.trace";
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

std::string error_of(const std::string& bytes, int ranks) {
  try {
    read_recorded_gaps(file_of(bytes), ranks);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "accepted";
}

const Calls kTwoCalls = {{100, 200}, {250, 300}};

TEST(RecordedGaps, AreFromLeavingACallToEnteringTheNext) {
  const std::string bytes =
      section(1, 2, {{1000, 1100}, {1500, 1510}, {1511, 1600}}) + section(0, 2, kTwoCalls);
  EXPECT_EQ(read_recorded_gaps(file_of(bytes), 2),
            (std::vector<std::vector<std::int64_t>>{{50}, {400, 1}}));
}

TEST(RecordedGaps, OfARingAreInTheOrderOfTime) {
  EXPECT_EQ(read_recorded_gaps(file_of(section(0, 1, {{700, 800}, {100, 200}, {300, 400}})), 1),
            (std::vector<std::vector<std::int64_t>>{{100, 300}}));
}

TEST(RecordedGaps, OfCallsThatOverlapAreNothing) {
  // The second call begins and ends within the first, the third begins 10 ns after the first.
  EXPECT_EQ(read_recorded_gaps(file_of(section(0, 1, {{100, 200}, {120, 150}, {210, 220}})), 1),
            (std::vector<std::vector<std::int64_t>>{{0, 10}}));
}

TEST(RecordedGaps, FilesThatAreNoneAreRefused) {
  const std::string good = section(0, 1, kTwoCalls);
  EXPECT_EQ(error_of("", 1), "is empty");
  EXPECT_EQ(error_of("a graph", 1), "offset 0: is no section of a trace");
  EXPECT_EQ(error_of(good + "more", 1), "offset 1792: is no section of a trace");
  EXPECT_EQ(error_of(good.substr(0, good.size() - 1), 1),
            "offset 0: its 2 records are not all there");
  EXPECT_EQ(error_of(section(0, 1, kTwoCalls, 2), 1), "offset 0: format version 2; allowed is 3");
  EXPECT_THAT(error_of(section(0, 1, kTwoCalls, 3, 0), 1), HasSubstr("was not completed"));
  EXPECT_EQ(error_of(good, 2), "offset 0: is of 1 ranks; this run has 2");
  EXPECT_EQ(error_of(section(5, 2, kTwoCalls), 2), "offset 0: is of rank 5 of 2");
  EXPECT_THAT(error_of(section(0, 2, kTwoCalls), 2),
              HasSubstr("rank 1 has fewer than two collectives"));
  EXPECT_THAT(error_of(section(0, 1, {{1, 2}}), 1), HasSubstr("rank 0 has fewer than two"));
  std::string damaged = good;
  damaged[512 + 2 * 512 + 128 + 77] = 0;
  EXPECT_EQ(error_of(damaged, 1), "offset 1664: is no whole record");
  EXPECT_THROW(read_recorded_gaps("/nonexistent.trace", 1), std::runtime_error);
}

}  // namespace
}  // namespace mpiactor::apps
