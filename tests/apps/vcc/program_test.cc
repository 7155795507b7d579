// The program as a user runs it, under the launcher at several rank counts.
#include "tests/apps/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>

#include "apps/vcc/data_readers.h"
#include "apps/vcc/random_data.h"
#include "apps/vcc/verify.h"

namespace mpiactor::vcc {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace mpiactor::testing;

const Program kVcc{"vcc", "trace="};

// The lines that depend on the data alone.
std::string findings_of(const std::string& output) {
  std::istringstream lines(output);
  std::string findings;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("vcc: variables=") || line.starts_with("vcc: correlation=") ||
        line.starts_with("vcc: missing=")) {
      findings += line + "\n";
    }
  }
  return findings;
}

struct Files {
  std::string covariance;
  std::string correlation;
};

Files files_of(const std::string& prefix) {
  return {contents(prefix + "_covariance.npy"), contents(prefix + "_correlation.npy")};
}

class Ranks : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Counts, Ranks, ::testing::Values(1, 3, 8));

TEST_P(Ranks, GiveTheSameBitsAndEqualTheSerialComputation) {
  for (const char* input : {"--random 100 --observations 301 --missing 0.2 --seed 4",
                            "--random 70 --observations 200 --block 8"}) {
    SCOPED_TRACE(input);
    const std::string one = temporary("one");
    const Outcome alone = kVcc.run(1, std::string(input) + " --output " + one);
    ASSERT_EQ(alone.exit_status, 0) << alone.errors;
    const std::string here = temporary("here");
    const Outcome outcome = kVcc.run(GetParam(), std::string(input) + " --verify --output " + here);
    EXPECT_EQ(outcome.exit_status, 0) << outcome.errors;
    EXPECT_EQ(findings_of(outcome.output), findings_of(alone.output));
    EXPECT_THAT(outcome.output, HasSubstr("vcc: ranks=" + std::to_string(GetParam()) + " "));
    EXPECT_THAT(outcome.output, HasSubstr(" mismatches=0 "));
    const Files expected = files_of(one);
    const Files found = files_of(here);
    EXPECT_GT(expected.covariance.size(), 70u * 70u * 8u);
    EXPECT_TRUE(found.covariance == expected.covariance);
    EXPECT_TRUE(found.correlation == expected.correlation);
  }
}

TEST_P(Ranks, NumbersAreThoseOfTheData) {
  const DataTable table = random_table({40, 64, 0.1, 9});
  const Outcome outcome = kVcc.run(
      GetParam(), "--random 40 --observations 64 --missing 0.1 --seed 9 --verify 7 --output " +
                      temporary("numbers"));
  ASSERT_EQ(outcome.exit_status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("vcc: verified=7 mismatches=0 "));
  const DataTable covariance = read_data_file(temporary("numbers_covariance.npy"));
  const DataTable correlation = read_data_file(temporary("numbers_correlation.npy"));
  ASSERT_EQ(covariance.observations, 40);
  ASSERT_EQ(correlation.variables, 40);
  double trace = 0.0;
  double largest = 0.0;
  std::int64_t missing = 0;
  for (const double value : table.values) missing += std::isnan(value) ? 1 : 0;
  for (std::int32_t i = 0; i < 40; ++i) {
    for (std::int32_t j = 0; j < 40; ++j) {
      const ReferencePair want = reference_pair(table.column(i), table.column(j), 64);
      EXPECT_NEAR(covariance.column(j)[i], want.covariance, 1e-12 * want.scale);
      EXPECT_NEAR(correlation.column(j)[i], want.correlation, 1e-12);
      if (i == j) trace += want.covariance;
      if (i != j) largest = std::max(largest, std::abs(want.correlation));
    }
  }
  double found_trace = 0.0;
  double found_largest = 0.0;
  ASSERT_EQ(std::sscanf(outcome.output.c_str(),
                        "vcc: variables=40 observations=64 trace=%lf max_abs_corr=%lf",
                        &found_trace, &found_largest),
            2);
  EXPECT_NEAR(found_trace, trace, 1e-12 * trace);
  EXPECT_NEAR(found_largest, largest, 1e-12);
  EXPECT_THAT(outcome.output, HasSubstr("vcc: missing=" + std::to_string(missing) + " "));
  EXPECT_GT(missing, 0);
}

TEST_P(Ranks, CsvFileWithNames) {
  // b = 2 a + 1; c has two observations in common with the others; h does not vary.
  const std::string path =
      file_with("data.csv",
                "a,\"b, twice\",c,d,e,f,g,h\n1,3,,5,2,9,1,4\n2,5,1,1,2,8,2,4\n4,9,3,3,7,7,2,4\n"
                "3,7,,2,1,8,5,4\n");
  const Outcome outcome = kVcc.run(GetParam(), "--verify --largest 1 --data " + path);
  EXPECT_EQ(outcome.exit_status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, StartsWith("vcc: variables=8 observations=4 trace="));
  EXPECT_THAT(outcome.output, HasSubstr(" max_abs_corr=1\n"
                                        "vcc: correlation=1 first=1 second=2 "
                                        "names=[\"a\",\"b, twice\"]\n"));
  EXPECT_THAT(outcome.output, HasSubstr("vcc: missing=2 incomplete_variables=1 "));
  EXPECT_THAT(outcome.output, HasSubstr("vcc: verified=8 mismatches=0 "));
}

TEST(Vcc, JsonHoldsTheSameNumbers) {
  const std::string path = temporary("report.json");
  const Outcome outcome =
      kVcc.run(2, "--random 100 --observations 500 --missing 0.1 --verify 4 --json " + path);
  ASSERT_EQ(outcome.exit_status, 0) << outcome.errors;
  const auto json = nlohmann::json::parse(contents(path));
  std::ostringstream line;
  line << "vcc: variables=" << json.at("variables") << " observations=" << json.at("observations")
       << " trace=" << json.at("trace") << " max_abs_corr=" << json.at("max_abs_corr") << "\n"
       << "vcc: correlation=" << json.at("largest")[0].at("correlation")
       << " first=" << json.at("largest")[0].at("first")
       << " second=" << json.at("largest")[0].at("second") << "\n";
  EXPECT_THAT(outcome.output, StartsWith(line.str()));
  EXPECT_EQ(json.at("largest").size(), 5u);
  EXPECT_EQ(json.at("verified"), 4);
  Program::expect_report(json, {"compute_s", "broadcast_s", "exchange_s"});
}

TEST(Vcc, OneVariable) {
  const Outcome outcome = kVcc.run(1, "--random 1 --observations 10 --verify");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr(" max_abs_corr=none\n"));
}

const std::string kGaps = "--random 100 --observations 300 --missing 0.2 --seed 4";

TEST_P(Ranks, AsleepStepsAreTimedAndThereAreNoResults) {
  kVcc.expect_asleep(GetParam(), kGaps,
                     {"centred_column", "passed_column", "product", "gapped_pair"},
                     {"trace", "max_abs_corr", "undefined_pairs", "verified"});
}

TEST(Vcc, AsleepStepsOfAnEarlierRun) {
  const std::string gaps = "random 100 observations 300 missing ";
  kVcc.expect_costs_of_an_earlier_run(
      kGaps, {{kGaps + " --block 8", "block 32; allowed: 8, as in this run"},
              {"--random 100 --observations 300 --missing 0.1 --seed 4",
               "input \"" + gaps + "0.2 seed 4\"; allowed: \"" + gaps + "0.1 seed 4\", as in"}});
}

TEST(Vcc, ProgressOnlyWhereAsked) {
  EXPECT_EQ(kVcc.run(2, "--random 50").errors, "");
  EXPECT_THAT(kVcc.run(2, "--random 50 --progress on").errors, HasSubstr("vcc: block 3/3 (100 %)"));
}

class BadCalls : public ::testing::TestWithParam<BadCall> {};

TEST_P(BadCalls, FailOnceOnAllRanks) {
  const BadCall& call = GetParam();
  kVcc.expect_failure_once(call.arguments, call.exit_status, call.message);
}

INSTANTIATE_TEST_SUITE_P(CallsOfAll, BadCalls, ::testing::ValuesIn(bad_calls_of_all()),
                         [](const auto& param) { return param.param.name; });
INSTANTIATE_TEST_SUITE_P(
    Calls, BadCalls,
    ::testing::Values(
        BadCall{"MissingFile", "--data /nonexistent.csv", 1,
                "vcc: /nonexistent.csv: cannot be opened: No such file"},
        BadCall{"WrittenAndRead",
                "--random 9 --computing asleep --costs none.json --json ./none.json", 1,
                "--json ./none.json: is the file of --costs, too"},
        BadCall{"WrittenTwice", "--random 9 --output none --json none_correlation.npy", 1,
                "--json none_correlation.npy: is the file of --output, too"},
        BadCall{"Folder", "--data /tmp", 1, "vcc: /tmp: is a directory"},
        BadCall{"OutputFolder", "--random 9 --output /nonexistent/m", 1,
                "vcc: --output /nonexistent/m_covariance.npy: cannot be opened for writing"},
        BadCall{"JsonFolder", "--random 9 --json /nonexistent/d.json", 1,
                "vcc: --json /nonexistent/d.json: cannot be opened for writing"},
        BadCall{"Memory", "--random 1000000 --observations 2000000000 --block 1", 1,
                "vcc: 1000000 variables x 2000000000 observations and their matrices take"},
        BadCall{"LargeMessage", "--random 9 --observations 1000000000", 1,
                "vcc: --block 32: with 1000000000 observations a message would have more"},
        BadCall{"NoInput", "", 2, "--data"}, BadCall{"Both", "--random 5 --data x", 2, "--data"},
        BadCall{"NoVariables", "--random 0", 2, "--random"},
        BadCall{"OneObservation", "--random 5 --observations 1", 2, "--observations"},
        BadCall{"ObservationsOfAFile", "--data x --observations 9", 2, "--observations"},
        BadCall{"AllMissing", "--random 5 --missing 1", 2, "--missing"},
        BadCall{"MissingNan", "--random 5 --missing nan", 2, "--missing: Value nan not in range"},
        BadCall{"NoBlock", "--random 5 --block 0", 2, "--block"},
        BadCall{"VerifyNone", "--random 5 --verify 0", 2, "--verify"},
        BadCall{"AsleepWritten", "--random 5 --computing asleep --output d", 2,
                "--computing asleep: not together with --output"}),
    [](const auto& param) { return param.param.name; });

TEST(Vcc, BadFilesNameFileAndPlaceOnce) {
  const std::string ragged = file_with("ragged.csv", "a,b,c\n1,2,3\n4,5\n");
  kVcc.expect_failure_once("--data " + ragged, 1, "vcc: " + ragged + ":3: 2 fields; allowed are 3");
  const std::string word = file_with("word.csv", "1,2,3\n4,x,6\n");
  kVcc.expect_failure_once("--data " + word, 1,
                           "vcc: " + word + ":2: field 2: 'x' is not a number");
  const std::string empty = file_with("empty.csv", "");
  kVcc.expect_failure_once("--data " + empty, 1, "vcc: " + empty + ": no rows");
  const std::string single = file_with("single.csv", "1,2,3\n");
  kVcc.expect_failure_once("--data " + single, 1, "vcc: " + single + ": number of observations 1");
  const std::string cut = file_with("cut.npy", "\x93NUMPY\x01");
  kVcc.expect_failure_once("--data " + cut, 1, "vcc: " + cut + ": offset 7: the file ends inside");
}

TEST(Vcc, MoreRanksThanVariablesAreRefused) {
  const Outcome outcome = kVcc.run(3, "--random 2");
  EXPECT_EQ(outcome.exit_status, 1);
  EXPECT_EQ(occurrences(outcome.errors, "2 variables on 3 ranks; allowed are at most 2 ranks"), 1)
      << outcome.errors;
  EXPECT_EQ(kVcc.run(2, "--random 2 --verify").exit_status, 0);
}

// What can be written is.
TEST(Vcc, AFullDiskCostsTheOtherOutputsNothing) {
  const std::string prefix = temporary("full");
  ASSERT_EQ(symlink("/dev/full", (prefix + "_covariance.npy").c_str()), 0);
  const std::string json = temporary("kept.json");
  const Outcome outcome =
      kVcc.run(3, "--random 100 --verify 3 --output " + prefix + " --json " + json);
  EXPECT_EQ(outcome.exit_status, 1);
  EXPECT_THAT(outcome.output, HasSubstr("vcc: verified=3 mismatches=0 "));
  EXPECT_EQ(nlohmann::json::parse(contents(json)).at("variables"), 100);
  EXPECT_EQ(read_data_file(prefix + "_correlation.npy").variables, 100);

  const std::string kept = temporary("kept");
  EXPECT_EQ(kVcc.run(3, "--random 100 --json /dev/full --output " + kept).exit_status, 1);
  EXPECT_EQ(read_data_file(kept + "_covariance.npy").variables, 100);
}

TEST(Vcc, WhatCannotBePrintedIsAFailure) {
  kVcc.expect_failure_where_printing_fails("--random 100");
}

TEST(Vcc, FullDiskFailsOnAllRanks) {
  const std::string prefix = temporary("full_disk");
  ASSERT_EQ(symlink("/dev/full", (prefix + "_correlation.npy").c_str()), 0);
  for (const auto& [arguments, file] :
       {std::pair{"--output " + prefix, "--output " + prefix + "_correlation.npy"},
        std::pair<std::string, std::string>{"--json /dev/full", "--json /dev/full"}}) {
    const Outcome outcome = kVcc.run(3, "--random 100 " + arguments);
    EXPECT_EQ(outcome.exit_status, 1);
    EXPECT_EQ(occurrences(outcome.errors, "vcc: " + file + ": writing failed"), 1)
        << outcome.errors;
  }
}

}  // namespace
}  // namespace mpiactor::vcc
