// The program as a user runs it, under the launcher at several rank counts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "apps/vcc/data_readers.h"
#include "apps/vcc/random_data.h"
#include "apps/vcc/verify.h"

namespace mpiactor::vcc {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string temporary(const std::string& name) {
  const char* directory = std::getenv("TEST_TMPDIR");
  return std::string(directory ? directory : "/tmp") + "/" + name;
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string file_with(const std::string& name, const std::string& text) {
  const std::string path = temporary(name);
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

struct Outcome {
  int exit_status = -1;
  std::string output;
  std::string errors;
};

// Runs vcc under the launcher. More ranks than cores need the polite preload, in the launcher too.
Outcome run_vcc(int ranks, const std::string& arguments) {
  const std::string out = temporary("stdout");
  const std::string err = temporary("stderr");
  const std::string command =
      "LD_PRELOAD=$PWD/actor/polite/libmpiactor_polite.so timeout -k 5 60 mpiexec.hydra -n " +
      std::to_string(ranks) + " $PWD/apps/vcc/vcc " + arguments + " >" + out + " 2>" + err;
  const int status = std::system(command.c_str());
  Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(out), contents(err)};
  return outcome;
}

// How often `part` is in `text`.
int occurrences(const std::string& text, const std::string& part) {
  int found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

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
INSTANTIATE_TEST_SUITE_P(Counts, Ranks, ::testing::Values(1, 2, 3, 4, 8));

TEST_P(Ranks, GiveTheSameBitsAndEqualTheSerialComputation) {
  for (const char* input : {"--random 100 --observations 301 --missing 0.2 --seed 4",
                            "--random 70 --observations 200 --block 8"}) {
    SCOPED_TRACE(input);
    const std::string one = temporary("one");
    const Outcome alone = run_vcc(1, std::string(input) + " --output " + one);
    ASSERT_EQ(alone.exit_status, 0) << alone.errors;
    const std::string here = temporary("here");
    const Outcome outcome = run_vcc(GetParam(), std::string(input) + " --verify --output " + here);
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
  const Outcome outcome = run_vcc(
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
  const Outcome outcome = run_vcc(GetParam(), "--verify --largest 1 --data " + path);
  EXPECT_EQ(outcome.exit_status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, StartsWith("vcc: variables=8 observations=4 trace="));
  EXPECT_THAT(outcome.output, HasSubstr(" max_abs_corr=1\n"
                                        "vcc: correlation=1 first=1 second=2 "
                                        "names=[\"a\",\"b, twice\"]\n"));
  EXPECT_THAT(outcome.output, HasSubstr("vcc: missing=2 incomplete_variables=1 "));
  EXPECT_THAT(outcome.output, HasSubstr("vcc: verified=8 mismatches=0 "));
}

TEST(Program, JsonHoldsTheSameNumbers) {
  const std::string path = temporary("report.json");
  const Outcome outcome =
      run_vcc(2, "--random 100 --observations 500 --missing 0.1 --verify 4 --json " + path);
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
  EXPECT_EQ(json.at("ranks"), 2);
  EXPECT_EQ(json.at("computing"), "real");
  EXPECT_TRUE(json.at("asleep").is_null());
  EXPECT_EQ(json.at("verified"), 4);
  EXPECT_EQ(json.at("mismatches"), 0);
  // Parts of one whole, each measured on its own.
  const double total_s = json.at("total_s");
  double parts_s = 0.0;
  for (const char* part : {"compute_s", "broadcast_s", "exchange_s"}) {
    EXPECT_GT(json.at(part).get<double>(), 0.0) << part;
    parts_s += json.at(part).get<double>();
  }
  EXPECT_LE(parts_s, total_s * 1.001);
  EXPECT_GE(json.at("arrival_spread_max_us").get<double>(),
            json.at("arrival_spread_mean_us").get<double>());
  EXPECT_GT(json.at("arrival_spread_mean_us").get<double>(), 0.0);
}

TEST(Program, OneVariable) {
  const Outcome outcome = run_vcc(1, "--random 1 --observations 10 --verify");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr(" max_abs_corr=none\n"));
}

TEST_P(Ranks, AsleepStepsAreTimedAndThereAreNoResults) {
  const std::string path = temporary("asleep.json");
  const Outcome outcome = run_vcc(GetParam(),
                                  "--random 100 --observations 300 --missing 0.2 --seed 4 "
                                  "--computing asleep --slower 2 --json " +
                                      path);
  ASSERT_EQ(outcome.exit_status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("vcc: computing=asleep: steps were slept, not computed"));
  EXPECT_THAT(outcome.output, HasSubstr("vcc: asleep seed=4 samples=16 slower=2 "));
  EXPECT_EQ(outcome.output.find("trace="), std::string::npos) << outcome.output;
  const auto json = nlohmann::json::parse(contents(path));
  EXPECT_EQ(json.at("computing"), "asleep");
  for (const char* name : {"trace", "max_abs_corr", "undefined_pairs", "verified"}) {
    EXPECT_TRUE(json.at(name).is_null()) << name;
  }
  const auto& asleep = json.at("asleep");
  EXPECT_EQ(asleep.at("seed"), 4);
  for (const char* kind : {"centred_column", "passed_column", "product", "gapped_pair"}) {
    EXPECT_GT(asleep.at("unit_ns").at(kind).get<double>(), 0.0) << kind;
  }
  const double asked_s = asleep.at("asked_s");
  EXPECT_GT(asked_s, 0.0);
  EXPECT_GT(asleep.at("spent_s").get<double>(), 0.5 * asked_s);
  EXPECT_GT(json.at("compute_s").get<double>(), 0.5 * asked_s);
}

TEST(Program, AsleepStepsOfAnEarlierRun) {
  const std::string first = temporary("first.json");
  const std::string input =
      "--random 100 --observations 300 --missing 0.2 --seed 4 --computing asleep";
  ASSERT_EQ(run_vcc(2, input + " --json " + first).exit_status, 0);
  const auto measured = nlohmann::json::parse(contents(first)).at("asleep");
  const std::string again = temporary("again.json");
  const Outcome outcome = run_vcc(2, input + " --slower 3 --costs " + first + " --json " + again);
  ASSERT_EQ(outcome.exit_status, 0) << outcome.errors;
  const auto taken = nlohmann::json::parse(contents(again)).at("asleep");
  EXPECT_EQ(taken.at("samples_ns"), measured.at("samples_ns"));
  const double asked_s = measured.at("asked_s");
  EXPECT_NEAR(taken.at("asked_s").get<double>(), 3.0 * asked_s, 1e-9 * asked_s);

  const Outcome ranks = run_vcc(3, input + " --costs " + first);
  EXPECT_EQ(ranks.exit_status, 1);
  EXPECT_EQ(occurrences(ranks.errors, "vcc: --costs " + first + ": is of input "), 1)
      << ranks.errors;
  const Outcome none = run_vcc(3, input + " --costs " + file_with("no.json", "{}"));
  EXPECT_EQ(none.exit_status, 1);
  EXPECT_EQ(occurrences(none.errors, "no.json: is not the JSON report of a run with"), 1)
      << none.errors;
}

TEST(Program, ProgressOnlyWhereAsked) {
  EXPECT_EQ(run_vcc(2, "--random 50").errors, "");
  EXPECT_THAT(run_vcc(2, "--random 50 --progress on").errors, HasSubstr("vcc: block 3/3 (100 %)"));
}

void expect_failure_once(const std::string& arguments, int exit_status,
                         const std::string& message) {
  for (const int ranks : {1, 3}) {
    SCOPED_TRACE(arguments + " on ranks: " + std::to_string(ranks));
    const Outcome outcome = run_vcc(ranks, arguments);
    EXPECT_EQ(outcome.exit_status, exit_status);
    EXPECT_EQ(occurrences(outcome.errors, message), 1) << outcome.errors;
    EXPECT_EQ(outcome.output.find("trace="), std::string::npos);
  }
}

struct BadCall {
  const char* name;
  const char* arguments;
  int exit_status;
  const char* message;
};

class BadCalls : public ::testing::TestWithParam<BadCall> {};

TEST_P(BadCalls, FailOnceOnAllRanks) {
  expect_failure_once(GetParam().arguments, GetParam().exit_status, GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Calls, BadCalls,
    ::testing::Values(
        BadCall{"MissingFile", "--data /nonexistent.csv", 1,
                "vcc: /nonexistent.csv: cannot be opened: No such file"},
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
        BadCall{"NoBlock", "--random 5 --block 0", 2, "--block"},
        BadCall{"VerifyNone", "--random 5 --verify 0", 2, "--verify"},
        BadCall{"UnknownComputing", "--random 5 --computing no", 2, "--computing"},
        BadCall{"SlowerReal", "--random 5 --slower 2", 2,
                "--slower: allowed with --computing asleep alone"},
        BadCall{"CostsReal", "--random 5 --costs x", 2,
                "--costs: allowed with --computing asleep alone"},
        BadCall{"SlowerByNothing", "--random 5 --computing asleep --slower 0.5", 2, "--slower"},
        BadCall{"AsleepVerified", "--random 5 --computing asleep --verify 2", 2,
                "--computing asleep: not together with --verify"},
        BadCall{"AsleepWritten", "--random 5 --computing asleep --output d", 2,
                "--computing asleep: not together with --output"},
        BadCall{"Unknown", "--random 5 --unknown", 2, "--unknown"}),
    [](const auto& param) { return param.param.name; });

TEST(Program, BadFilesNameFileAndPlaceOnce) {
  const std::string ragged = file_with("ragged.csv", "a,b,c\n1,2,3\n4,5\n");
  expect_failure_once("--data " + ragged, 1, "vcc: " + ragged + ":3: 2 fields; allowed are 3");
  const std::string word = file_with("word.csv", "1,2,3\n4,x,6\n");
  expect_failure_once("--data " + word, 1, "vcc: " + word + ":2: field 2: 'x' is not a number");
  const std::string empty = file_with("empty.csv", "");
  expect_failure_once("--data " + empty, 1, "vcc: " + empty + ": no rows");
  const std::string single = file_with("single.csv", "1,2,3\n");
  expect_failure_once("--data " + single, 1, "vcc: " + single + ": number of observations 1");
  const std::string cut = file_with("cut.npy", "\x93NUMPY\x01");
  expect_failure_once("--data " + cut, 1, "vcc: " + cut + ": offset 7: the file ends inside");
}

TEST(Program, MoreRanksThanVariablesAreRefused) {
  const Outcome outcome = run_vcc(3, "--random 2");
  EXPECT_EQ(outcome.exit_status, 1);
  EXPECT_EQ(occurrences(outcome.errors, "2 variables on 3 ranks; allowed are at most 2 ranks"), 1)
      << outcome.errors;
  EXPECT_EQ(run_vcc(2, "--random 2 --verify").exit_status, 0);
}

TEST(Program, FullDiskFailsOnAllRanks) {
  const std::string prefix = temporary("full");
  ASSERT_EQ(symlink("/dev/full", (prefix + "_correlation.npy").c_str()), 0);
  expect_failure_once("--random 100 --output " + prefix, 1,
                      "vcc: --output " + prefix + "_correlation.npy: writing failed");
  const Outcome outcome = run_vcc(3, "--random 9 --json /dev/full");
  EXPECT_EQ(outcome.exit_status, 1);
  EXPECT_EQ(occurrences(outcome.errors, "vcc: --json /dev/full: writing failed"), 1)
      << outcome.errors;
}

}  // namespace
}  // namespace mpiactor::vcc
