// Graph files: what is read, and what every kind of bad line is refused with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <sstream>
#include <string>

#include "apps/asp/graph_readers.h"

namespace mpiactor::asp {
namespace {

using Reader = Graph (*)(std::istream&, const std::string&);
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Graph read(Reader reader, const std::string& text) {
  std::istringstream input(text);
  return reader(input, "file");
}

// The message of the error that reading `text` gives; empty where it gives none.
std::string error_of(Reader reader, const std::string& text) {
  try {
    read(reader, text);
  } catch (const GraphError& error) {
    return error.what();
  }
  return "";
}

TEST(Dimacs, ReadsArcsCountedFromOne) {
  const Graph graph = read(read_dimacs,
                           "c a comment\n\np sp 3 4\r\na 1 2 10\na  3\t1 0\nc\na 2 2 5\n"
                           "a 1 2 7\n");
  EXPECT_EQ(graph.vertices, 3);
  EXPECT_THAT(graph.arcs, ElementsAre(Arc{0, 1, 10}, Arc{2, 0, 0}, Arc{1, 1, 5}, Arc{0, 1, 7}));
}

TEST(Dimacs, ReadsAGraphWithoutArcs) {
  const Graph graph = read(read_dimacs, "p sp 5 0");
  EXPECT_EQ(graph.vertices, 5);
  EXPECT_TRUE(graph.arcs.empty());
}

TEST(Dimacs, ReadsTheLongestLength) {
  const Graph graph = read(read_dimacs, "p sp 2 1\na 1 2 1073741822\n");
  EXPECT_EQ(graph.arcs.at(0).length, 1073741822);
}

struct BadFile {
  const char* name;
  const char* text;
  const char* where;    // start of the message
  const char* message;  // part of it
};

class BadDimacs : public ::testing::TestWithParam<BadFile> {};

TEST_P(BadDimacs, IsRefusedWithFileAndLine) {
  const std::string error = error_of(read_dimacs, GetParam().text);
  EXPECT_THAT(error, StartsWith(GetParam().where));
  EXPECT_THAT(error, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Files, BadDimacs,
    ::testing::Values(
        BadFile{"NegativeLength", "p sp 2 1\na 1 2 -5\n", "file:2: ", "-5 is negative"},
        BadFile{"LongLength", "p sp 2 1\na 1 2 1073741823\n", "file:2: ", "too long"},
        BadFile{"HugeLength", "p sp 2 1\na 1 2 99999999999999999999\n", "file:2: ", "too long"},
        BadFile{"HugeNegative", "p sp 2 1\na 1 2 -99999999999999999999\n", "file:2: ", "negative"},
        BadFile{"WordForLength", "p sp 2 1\na 1 2 ten\n", "file:2: ", "'ten' is not a whole"},
        BadFile{"RealLength", "p sp 2 1\na 1 2 1.5\n", "file:2: ", "'1.5' is not a whole"},
        BadFile{"MissingLength", "p sp 2 1\nc\na 1 2\n", "file:3: ", "'a 1 2' is not 'a FROM"},
        BadFile{"ExtraField", "p sp 2 1\na 1 2 3 4\n", "file:2: ", "is not 'a FROM TO LENGTH'"},
        BadFile{"VertexZero", "p sp 2 1\na 0 2 3\n",
                "file:2: ", "vertex 0 is out of range: 1 .. 2"},
        BadFile{"VertexBeyond", "p sp 2 1\na 1 3 3\n", "file:2: ", "vertex 3 is out of range"},
        BadFile{"UnknownLine", "p sp 2 1\nx 1 2 3\n", "file:2: ", "'x 1 2 3' is not a line"},
        BadFile{"UnknownWord", "p sp 2 1\ncorrupt\n", "file:2: ", "'corrupt' is not a line"},
        BadFile{"NoHeader", "c only comments\n", "file:1: ", "no 'p sp VERTICES ARCS' line"},
        BadFile{"EmptyFile", "", "file:0: ", "no 'p sp VERTICES ARCS' line"},
        BadFile{"ArcFirst", "a 1 2 3\np sp 2 1\n", "file:1: ", "arc before the 'p"},
        BadFile{"TwoHeaders", "p sp 2 0\np sp 2 0\n", "file:2: ", "second 'p' line"},
        BadFile{"OtherProblem", "p max 2 1\n", "file:1: ", "is not 'p sp VERTICES ARCS'"},
        BadFile{"NoVertices", "p sp 0 0\n", "file:1: ", "at least 1"},
        BadFile{"NegativeVertices", "p sp -3 0\n", "file:1: ", "out of range: 0 .. 2147483647"},
        BadFile{"TooFewArcs", "p sp 2 2\na 1 2 3\n", "file:2: ", "ends after 1 arcs"},
        BadFile{"TooManyArcs", "p sp 2 1\na 1 2 3\na 2 1 3\n", "file:3: ", "more arcs than the 1"}),
    [](const auto& param) { return param.param.name; });

TEST(Dimacs, AnnouncedArcsTakeNoMemory) {
  EXPECT_THAT(error_of(read_dimacs, "p sp 2147483647 2147483647\n"),
              HasSubstr("ends after 0 arcs"));
}

TEST(MatrixMarket, GeneralEntryIsOneArc) {
  const Graph graph = read(read_matrix_market,
                           "%%MatrixMarket matrix coordinate integer general\n% comment\n\n"
                           "3 3 2\n1 3 4\n3 1 9\n");
  EXPECT_EQ(graph.vertices, 3);
  EXPECT_THAT(graph.arcs, ElementsAre(Arc{0, 2, 4}, Arc{2, 0, 9}));
}

TEST(MatrixMarket, SymmetricEntryIsTwoArcsOffTheDiagonal) {
  const Graph graph = read(read_matrix_market,
                           "%%MatrixMarket Matrix Coordinate Integer Symmetric\n"
                           "3 3 2\n3 1 4\n2 2 9\n");
  EXPECT_THAT(graph.arcs, ElementsAre(Arc{2, 0, 4}, Arc{0, 2, 4}, Arc{1, 1, 9}));
}

TEST(MatrixMarket, PatternEntryHasLengthOne) {
  const Graph graph =
      read(read_matrix_market, "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n");
  EXPECT_THAT(graph.arcs, ElementsAre(Arc{1, 0, 1}, Arc{0, 1, 1}));
}

TEST(MatrixMarket, WholeRealsAreLengths) {
  const Graph graph = read(read_matrix_market,
                           "%%MatrixMarket matrix coordinate real general\n"
                           "2 2 2\n1 2 5.35e2\n2 1 7.0\n");
  EXPECT_THAT(graph.arcs, ElementsAre(Arc{0, 1, 535}, Arc{1, 0, 7}));
}

class BadMatrixMarket : public ::testing::TestWithParam<BadFile> {};

TEST_P(BadMatrixMarket, IsRefusedWithFileAndLine) {
  const std::string error = error_of(read_matrix_market, GetParam().text);
  EXPECT_THAT(error, StartsWith(GetParam().where));
  EXPECT_THAT(error, HasSubstr(GetParam().message));
}

#define INTEGER_GENERAL "%%MatrixMarket matrix coordinate integer general\n"
#define INTEGER_SYMMETRIC "%%MatrixMarket matrix coordinate integer symmetric\n"
#define REAL_GENERAL "%%MatrixMarket matrix coordinate real general\n"
#define PATTERN_GENERAL "%%MatrixMarket matrix coordinate pattern general\n"
INSTANTIATE_TEST_SUITE_P(
    Files, BadMatrixMarket,
    ::testing::Values(
        BadFile{"Empty", "", "file: ", "is empty"},
        BadFile{"NoBanner", "2 2 1\n1 2 3\n", "file:1: ", "first line is not"},
        BadFile{"Dense", "%%MatrixMarket matrix array integer general\n",
                "file:1: ", "'matrix array' is not supported"},
        BadFile{"Complex", "%%MatrixMarket matrix coordinate complex general\n",
                "file:1: ", "field 'complex' is not supported"},
        BadFile{"Skew", "%%MatrixMarket matrix coordinate integer skew-symmetric\n",
                "file:1: ", "symmetry 'skew-symmetric' is not supported"},
        BadFile{"NoSizes", INTEGER_GENERAL "% comment\n", "file:2: ", "no 'ROWS COLUMNS ENTRIES'"},
        BadFile{"BadSizes", INTEGER_GENERAL "2 2\n", "file:2: ", "is not 'ROWS COLUMNS ENTRIES'"},
        BadFile{"NotSquare", INTEGER_GENERAL "2 3 0\n", "file:2: ", "2 x 3 matrix is no graph"},
        BadFile{"NoRows", INTEGER_GENERAL "0 0 0\n", "file:2: ", "at least 1"},
        BadFile{"Negative", INTEGER_GENERAL "2 2 1\n1 2 -1\n", "file:3: ", "negative"},
        BadFile{"NegativeReal", REAL_GENERAL "2 2 1\n1 2 -0.5\n", "file:3: ", "negative"},
        BadFile{"BrokenReal", REAL_GENERAL "2 2 1\n1 2 0.5\n", "file:3: ", "not whole"},
        BadFile{"NotANumber", REAL_GENERAL "2 2 1\n1 2 nan\n", "file:3: ", "not a number"},
        BadFile{"SmallReal", REAL_GENERAL "2 2 1\n1 2 1e-400\n", "file:3: ", "1e-400 is not whole"},
        BadFile{"LongReal", REAL_GENERAL "2 2 1\n1 2 1e300\n", "file:3: ", "too long"},
        BadFile{"RealInIntegerFile", INTEGER_GENERAL "2 2 1\n1 2 3.0\n", "file:3: ", "not a whole"},
        BadFile{"ValueInPattern", PATTERN_GENERAL "2 2 1\n1 2 3\n", "file:3: ", "'ROW COLUMN'"},
        BadFile{"NoValue", INTEGER_GENERAL "2 2 1\n1 2\n", "file:3: ", "'ROW COLUMN VALUE'"},
        BadFile{"RowBeyond", INTEGER_GENERAL "2 2 1\n3 1 1\n", "file:3: ", "vertex 3"},
        BadFile{"AboveDiagonal", INTEGER_SYMMETRIC "2 2 1\n1 2 3\n", "file:3: ", "above the diag"},
        BadFile{"TooFew", INTEGER_GENERAL "2 2 2\n1 2 3\n", "file:3: ", "ends after 1 entries"},
        BadFile{"TooMany", INTEGER_GENERAL "2 2 1\n1 2 3\n2 1 3\n", "file:4: ", "more entries"}),
    [](const auto& param) { return param.param.name; });

TEST(GraphFile, APipeIsRefused) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string text = "p sp 2 1\na 1 2 3\n";
  ASSERT_EQ(write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  close(ends[1]);
  const std::string path = "/dev/fd/" + std::to_string(ends[0]);
  try {
    read_graph_file(path);
    FAIL() << "a pipe was read twice";
  } catch (const GraphError& error) {
    EXPECT_EQ(error.what(), path + ": cannot be read twice; allowed is a file");
  }
  close(ends[0]);
}

TEST(PathSums, BoundIsTheLesserOfOutAndIn) {
  // Out of the vertices at most 9 + 4 + 0, into them at most 0 + 9 + 4.
  EXPECT_EQ(longest_path_bound({3, {{0, 1, 9}, {0, 2, 3}, {1, 2, 4}, {2, 2, 100}}}), 13);
  // A star: each of three arcs leaves the same vertex.
  EXPECT_EQ(longest_path_bound({4, {{0, 1, 5}, {0, 2, 6}, {0, 3, 7}}}), 7);
}

TEST(PathSums, ArcsThatCouldOverflowAreRefused) {
  const Distance half = kUnreachable / 2;
  EXPECT_NO_THROW(check_path_sums({3, {{0, 1, half}, {1, 2, half}}}, "file"));
  try {
    check_path_sums({3, {{0, 1, half}, {1, 2, half + 1}}}, "file");
    FAIL() << "a path of length kUnreachable was accepted";
  } catch (const GraphError& error) {
    EXPECT_THAT(error.what(), HasSubstr("file: arcs are too long"));
    EXPECT_THAT(error.what(), HasSubstr("the longest arc, 2 -> 3, has length 536870912"));
  }
}

TEST(PathSums, SumsOverAllPairsFitIn64Bits) {
  EXPECT_NO_THROW(check_path_sums({90'000, {{0, 1, kUnreachable - 1}}}, "file"));
  EXPECT_THROW(check_path_sums({100'000, {{0, 1, kUnreachable - 1}}}, "file"), GraphError);
}

}  // namespace
}  // namespace mpiactor::asp
