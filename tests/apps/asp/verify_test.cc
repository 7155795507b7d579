// Dijkstra, the comparison with it, and the distance file.
#include "apps/asp/verify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <vector>

#include "apps/asp/matrix_file.h"

namespace mpiactor::asp {
namespace {

// 0 -> 1 -> 2 in 3 + 4, the direct 0 -> 2 is longer; 3 reaches 0 and is reached by nobody.
const Graph kGraph{4, {{0, 1, 3}, {1, 2, 4}, {0, 2, 9}, {3, 0, 1}, {1, 1, 0}}};

DistanceRows distances() {
  DistanceRows rows(0, 4, 4);
  const Distance no = kUnreachable;
  const Distance expected[4][4] = {{0, 3, 7, no}, {no, 0, 4, no}, {no, no, 0, no}, {1, 4, 8, 0}};
  for (std::int32_t u = 0; u < 4; ++u) std::copy_n(expected[u], 4, rows.row(u));
  return rows;
}

TEST(Verify, DijkstraFindsShortestPathsAndUnreachableVertices) {
  const Dijkstra dijkstra(kGraph);
  EXPECT_EQ(dijkstra.from(0), (std::vector<Distance>{0, 3, 7, kUnreachable}));
  EXPECT_EQ(dijkstra.from(3), (std::vector<Distance>{1, 4, 8, 0}));
}

TEST(Verify, RightRowsPass) {
  const Mismatches found = compare(distances(), kGraph, {0, 1, 2, 3});
  EXPECT_EQ(found.sources, 0);
  EXPECT_EQ(found.first, "");
}

TEST(Verify, WrongRowsAreCountedAndTheFirstIsNamed) {
  DistanceRows rows = distances();
  rows.row(1)[0] = 5;
  rows.row(3)[2] = 9;
  const Mismatches found = compare(rows, kGraph, {0, 1, 2, 3});
  EXPECT_EQ(found.sources, 2);
  EXPECT_EQ(found.first, "distance 2 -> 1 is 5, Dijkstra says unreachable");
  EXPECT_EQ(compare(rows, kGraph, {0, 2}).sources, 0);
}

TEST(Verify, SourcesOfOtherRanksAreLeftToThem) {
  DistanceRows rows(1, 2, 4);  // row 1 alone, and wrong: all unreachable
  EXPECT_EQ(compare(rows, kGraph, {0, 2, 3}).sources, 0);
  EXPECT_EQ(compare(rows, kGraph, {0, 1, 2, 3}).sources, 1);
}

TEST(Verify, SourcesAreDifferentAndRepeatable) {
  const auto sources = draw_sources(100, 20, 5);
  EXPECT_EQ(std::set<std::int32_t>(sources.begin(), sources.end()).size(), 20u);
  EXPECT_GE(sources.front(), 0);
  EXPECT_LT(sources.back(), 100);
  EXPECT_EQ(draw_sources(100, 20, 5), sources);
  EXPECT_NE(draw_sources(100, 20, 6), sources);
  EXPECT_EQ(draw_sources(3, 20, 5), (std::vector<std::int32_t>{0, 1, 2}));
}

TEST(MatrixFile, HoldsHeaderAndRows) {
  const char* directory = std::getenv("TEST_TMPDIR");
  const std::string path = std::string(directory ? directory : "/tmp") + "/distances.bin";
  const DistanceRows rows = distances();
  MatrixWriter writer(path);
  writer.begin(kGraph);
  for (std::int32_t u = 0; u < 4; ++u) writer.add(rows.row(u));
  writer.finish();

  std::ifstream file(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  std::remove(path.c_str());
  ASSERT_EQ(bytes.size(), 32u + 4 * 4 * 4);
  const auto number = [&](std::size_t offset, std::size_t width) {  // little-endian
    std::uint64_t value = 0;
    for (std::size_t i = width; i-- > 0;) {
      value = value << 8 | static_cast<unsigned char>(bytes[offset + i]);
    }
    return value;
  };
  EXPECT_EQ(bytes.substr(0, 8), "ASPDIST1");
  EXPECT_EQ(number(8, 8), 4u);
  EXPECT_EQ(number(16, 8), 5u);
  EXPECT_EQ(number(24, 4), 1073741823u);
  EXPECT_EQ(number(28, 4), 4u);
  EXPECT_EQ(number(32 + 4 * (0 * 4 + 2), 4), 7u);
  EXPECT_EQ(number(32 + 4 * (0 * 4 + 3), 4), 1073741823u);
  EXPECT_EQ(number(32 + 4 * (3 * 4 + 1), 4), 4u);
}

TEST(MatrixFile, PathsThatCannotBeWrittenAreNamed) {
  try {
    MatrixWriter writer("/nonexistent/distances.bin");
    FAIL() << "a file in a missing folder was opened";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::strstr(error.what(), "--out /nonexistent/distances.bin"), nullptr);
  }
  MatrixWriter full("/dev/full");
  full.begin(kGraph);
  EXPECT_THROW(full.finish(), std::runtime_error);
}

}  // namespace
}  // namespace mpiactor::asp
