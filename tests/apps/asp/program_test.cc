// The program as a user runs it, under the launcher at several rank counts, against a serial
// Dijkstra of the test's own.
#include "tests/apps/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <queue>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "apps/asp/graph_readers.h"
#include "apps/asp/random_graph.h"

namespace mpiactor::asp {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace mpiactor::testing;

const Program kAsp{"asp", "reachable="};

std::vector<std::int64_t> distances_from(
    const std::vector<std::vector<std::pair<std::int32_t, std::int64_t>>>& roads,
    std::int32_t source) {
  std::vector<std::int64_t> distances(roads.size(), -1);
  using Reached = std::pair<std::int64_t, std::int32_t>;
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> open;
  open.emplace(0, source);
  while (!open.empty()) {
    const auto [distance, vertex] = open.top();
    open.pop();
    auto& known = distances[static_cast<std::size_t>(vertex)];
    if (known >= 0) continue;
    known = distance;
    for (const auto& [to, length] : roads[static_cast<std::size_t>(vertex)]) {
      open.emplace(distance + length, to);
    }
  }
  return distances;
}

// The program's first line, computed here.
std::string expected_line(const Graph& graph) {
  std::vector<std::vector<std::pair<std::int32_t, std::int64_t>>> roads(
      static_cast<std::size_t>(graph.vertices));
  for (const Arc& arc : graph.arcs) {
    roads[static_cast<std::size_t>(arc.from)].emplace_back(arc.to, arc.length);
  }
  std::int64_t reachable = 0;
  std::int64_t sum = 0;
  std::int64_t max = 0;
  for (std::int32_t source = 0; source < graph.vertices; ++source) {
    for (const std::int64_t distance : distances_from(roads, source)) {
      if (distance < 0) continue;
      ++reachable;
      sum += distance;
      max = std::max(max, distance);
    }
  }
  std::ostringstream line;
  line << "asp: vertices=" << graph.vertices << " arcs=" << graph.arcs.size()
       << " reachable=" << reachable << " sum=" << sum << " max=" << max << "\n";
  return line.str();
}

class Ranks : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Counts, Ranks, ::testing::Values(1, 2, 5));

TEST_P(Ranks, RandomGraphEqualsSerialDijkstra) {
  const std::string expected = expected_line(random_road_graph(150, 4));
  for (const char* options : {"", " --batch 8", " --threads 2"}) {
    SCOPED_TRACE(options);
    const Outcome outcome =
        kAsp.run(GetParam(), std::string("--random 150 --seed 4 --verify 9") + options);
    EXPECT_EQ(outcome.exit_status, 0) << outcome.errors;
    EXPECT_THAT(outcome.output, StartsWith(expected));
    EXPECT_THAT(outcome.output, HasSubstr("asp: ranks=" + std::to_string(GetParam()) + " "));
    EXPECT_THAT(outcome.output, HasSubstr("asp: verified=9 mismatches=0\n"));
  }
}

TEST_P(Ranks, PartlyConnectedFileEqualsSerialDijkstra) {
  // Two one-way rings of different lengths with one arc from the first to the second, and two
  // vertices apart.
  std::ostringstream text;
  text << "p sp 42 41\n";
  for (int v = 0; v < 20; ++v) text << "a " << v + 1 << " " << (v + 1) % 20 + 1 << " 7\n";
  for (int v = 0; v < 20; ++v)
    text << "a " << v + 21 << " " << (v + 1) % 20 + 21 << " " << v << "\n";
  text << "a 5 33 1000000\n";
  std::istringstream input(text.str());
  const std::string expected = expected_line(read_dimacs(input, "rings"));
  const std::string path = file_with("rings.gr", text.str());
  for (const char* options : {"", " --batch 3"}) {
    const Outcome outcome = kAsp.run(GetParam(), "--graph " + path + options);
    EXPECT_EQ(outcome.exit_status, 0) << outcome.errors;
    EXPECT_THAT(outcome.output, StartsWith(expected));
    EXPECT_THAT(expected, HasSubstr("reachable=1202 "));
  }
}

TEST_P(Ranks, RomeEqualsSerialDijkstra) {
  const char* rome = std::getenv("ROME99_GRAPH");
  if (rome == nullptr || *rome == '\0') {
    GTEST_SKIP() << "ROME99_GRAPH is not set: the road network of Rome (rome99.gr) is not here";
  }
  static const std::string expected = expected_line(read_graph_file(rome));
  const Outcome outcome = kAsp.run(GetParam(), std::string("--verify 3 --graph ") + rome);
  EXPECT_EQ(outcome.exit_status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, StartsWith(expected));
}

TEST(Asp, MoreRanksThanVertices) {
  const std::string path = file_with("three.gr", "p sp 3 2\na 1 2 5\na 2 3 6\n");
  const std::string out = temporary("three.bin");
  const Outcome outcome = kAsp.run(5, "--graph " + path + " --verify 10 --out " + out);
  EXPECT_EQ(outcome.exit_status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output,
              StartsWith("asp: vertices=3 arcs=2 reachable=6 sum=22 max=11\nasp: ranks=5 "));
  EXPECT_THAT(outcome.output, HasSubstr("verified=3 mismatches=0"));
  EXPECT_EQ(contents(out).size(), 32u + 9 * 4);
  EXPECT_EQ(kAsp.run(3, "--random 1").output.find("asp: vertices=1 arcs=0 reachable=1 sum=0 max=0"),
            0u);
}

TEST(Asp, MatrixMarketFile) {
  const std::string path = file_with(
      "path.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n");
  EXPECT_THAT(kAsp.run(2, "--graph " + path).output,
              StartsWith("asp: vertices=3 arcs=4 reachable=9 sum=8 max=2\n"));
}

TEST(Asp, MatrixFileIsTheSameForAllRankCounts) {
  const std::string one = temporary("one.bin");
  const std::string three = temporary("three.bin");
  ASSERT_EQ(kAsp.run(1, "--random 100 --seed 2 --out " + one).exit_status, 0);
  ASSERT_EQ(kAsp.run(3, "--random 100 --seed 2 --out " + three).exit_status, 0);
  EXPECT_EQ(contents(one).size(), 32u + 100 * 100 * 4);
  EXPECT_TRUE(contents(one) == contents(three));
}

TEST(Asp, JsonHoldsTheSameNumbers) {
  const std::string path = temporary("report.json");
  const Outcome outcome = kAsp.run(2, "--random 100 --verify 4 --json " + path);
  ASSERT_EQ(outcome.exit_status, 0) << outcome.errors;
  const auto json = nlohmann::json::parse(contents(path));
  std::ostringstream line;
  line << "asp: vertices=" << json.at("vertices") << " arcs=" << json.at("arcs")
       << " reachable=" << json.at("reachable") << " sum=" << json.at("sum")
       << " max=" << json.at("max") << "\n";
  EXPECT_THAT(outcome.output, StartsWith(line.str()));
  Program::expect_report(json, {"compute_s", "broadcast_s"});
}

TEST_P(Ranks, AsleepStepsAreTimedAndThereAreNoResults) {
  kAsp.expect_asleep(GetParam(), "--random 150 --seed 4", {"relaxed_row", "skipped_row"},
                     {"reachable", "sum", "max", "verified"});
}

TEST(Asp, AsleepStepsOfAnEarlierRun) {
  kAsp.expect_costs_of_an_earlier_run(
      "--random 150 --seed 4",
      {{"--random 150 --seed 5",
        "input \"random 150 seed 4\"; allowed: \"random 150 seed 5\", as in this run"}});
}

TEST(Asp, ProgressOnlyWhereAsked) {
  EXPECT_EQ(kAsp.run(2, "--random 50").errors, "");
  EXPECT_THAT(kAsp.run(2, "--random 50 --progress on").errors, HasSubstr("asp: row 50/50 (100 %)"));
}

class BadCalls : public ::testing::TestWithParam<BadCall> {};

TEST_P(BadCalls, FailOnceOnAllRanks) {
  const BadCall& call = GetParam();
  kAsp.expect_failure_once(call.arguments, call.exit_status, call.message);
}

INSTANTIATE_TEST_SUITE_P(CallsOfAll, BadCalls, ::testing::ValuesIn(bad_calls_of_all()),
                         [](const auto& param) { return param.param.name; });
INSTANTIATE_TEST_SUITE_P(
    Calls, BadCalls,
    ::testing::Values(BadCall{"MissingFile", "--graph /nonexistent.gr", 1,
                              "asp: /nonexistent.gr: cannot be opened: No such file"},
                      BadCall{"Folder", "--graph /tmp", 1, "asp: /tmp: is a directory"},
                      BadCall{"OutFolder", "--random 9 --out /nonexistent/d.bin", 1,
                              "asp: --out /nonexistent/d.bin: cannot be opened for writing"},
                      BadCall{"JsonFolder", "--random 9 --json /nonexistent/d.json", 1,
                              "asp: --json /nonexistent/d.json: cannot be opened for writing"},
                      BadCall{"NoInput", "", 2, "--graph"},
                      BadCall{"Both", "--random 5 --graph x", 2, "--graph"},
                      BadCall{"NoVertices", "--random 0", 2, "--random"},
                      BadCall{"NoThreads", "--random 5 --threads 0", 2, "--threads"},
                      BadCall{"LargeBatch", "--random 5 --batch 65", 2, "--batch"},
                      BadCall{"SlowerNan", "--random 5 --computing asleep --slower nan", 2,
                              "--slower: Value nan not in range"},
                      BadCall{"WrittenAndRead",
                              "--random 5 --computing asleep --costs none.json --json ./none.json",
                              1, "--json ./none.json: is the file of --costs, too"},
                      BadCall{"WrittenTwice", "--random 5 --out none --json none", 1,
                              "--json none: is the file of --out, too"},
                      BadCall{"AsleepWritten", "--random 5 --computing asleep --out d", 2,
                              "--computing asleep: not together with --out"},
                      BadCall{"AsleepThreads", "--random 5 --computing asleep --threads 2", 2,
                              "--computing asleep: not together with --threads above 1"},
                      BadCall{"AsleepBatch", "--random 5 --computing asleep --batch 2", 2,
                              "--computing asleep: not together with --batch above 1"}),
    [](const auto& param) { return param.param.name; });

TEST(Asp, BadGraphFileNamesFileAndLineOnce) {
  const std::string path = file_with("negative.gr", "p sp 2 2\na 1 2 3\na 2 1 -4\n");
  kAsp.expect_failure_once("--graph " + path, 1, "asp: " + path + ":3: length -4 is negative");
}

TEST(Asp, MatrixBeyondTheMemoryIsRefused) {
  for (const char* vertices : {"3000000", "2147483647"}) {
    const std::string path = file_with("large.gr", std::string("p sp ") + vertices + " 0\n");
    const std::string earlier = file_with("earlier.json", "{}");
    kAsp.expect_failure_once("--graph " + path + " --json " + earlier, 1,
                             std::string("the distances of ") + vertices + " vertices take");
    EXPECT_EQ(contents(earlier), "{}");
  }
}

// A name that is not UTF-8 is shown so in the report.
TEST(Asp, NamesNeedNotBeUtf8) {
  const std::string graph = file_with("caf\xe9.gr", "p sp 2 1\na 1 2 3\n");
  const std::string json = temporary("caf.json");
  const Outcome outcome = kAsp.run(2, "--graph " + graph + " --json " + json);
  EXPECT_EQ(outcome.exit_status, 0) << outcome.errors;
  EXPECT_EQ(nlohmann::json::parse(contents(json)).at("input"),
            temporary("") + "caf\xef\xbf\xbd.gr");
}

// What can be written is.
TEST(Asp, AFullDiskCostsTheOtherOutputsNothing) {
  const std::string json = temporary("kept.json");
  const std::string matrix = temporary("kept.bin");
  EXPECT_EQ(kAsp.run(3, "--random 100 --json " + json + " --out /dev/full").exit_status, 1);
  EXPECT_EQ(nlohmann::json::parse(contents(json)).at("vertices"), 100);
  EXPECT_EQ(kAsp.run(3, "--random 100 --json /dev/full --out " + matrix).exit_status, 1);
  EXPECT_EQ(contents(matrix).size(), 32u + 100 * 100 * 4);
}

TEST(Asp, WhatCannotBePrintedIsAFailure) {
  kAsp.expect_failure_where_printing_fails("--random 100");
}

TEST(Asp, FullDiskFailsOnAllRanks) {
  for (const char* option : {"--out", "--json"}) {
    const Outcome outcome = kAsp.run(3, std::string("--random 100 ") + option + " /dev/full");
    EXPECT_EQ(outcome.exit_status, 1);
    EXPECT_EQ(
        occurrences(outcome.errors, std::string("asp: ") + option + " /dev/full: writing failed"),
        1)
        << outcome.errors;
  }
}

}  // namespace
}  // namespace mpiactor::asp
