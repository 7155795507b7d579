#include "tests/apps/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace mpiactor::testing {

using ::testing::HasSubstr;

namespace {

// Of the test's arguments.
std::string mpi;
std::string path;

// `command`: of every rank, for a shell to read.
Outcome launch(int ranks, const std::string& command) {
  const std::string out = temporary("stdout");
  const std::string err = temporary("stderr");
  const std::string job = "timeout -k 5 200 tests/mpiexec.sh " + mpi + " -n " +
                          std::to_string(ranks) + " " + command + " >" + out + " 2>" + err;
  const int status = std::system(job.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(out), contents(err)};
}

}  // namespace

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

int occurrences(const std::string& text, const std::string& part) {
  int found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

std::ostream& operator<<(std::ostream& out, const BadCall& call) { return out << call.arguments; }

Outcome Program::run(int ranks, const std::string& arguments) const {
  return launch(ranks, "$PWD/" + path + " " + arguments);
}

void Program::expect_failure_once(const std::string& arguments, int exit_status,
                                  const std::string& message) const {
  SCOPED_TRACE(arguments);
  const Outcome outcome = run(3, arguments);
  EXPECT_EQ(outcome.exit_status, exit_status);
  EXPECT_EQ(occurrences(outcome.errors, message), 1) << outcome.errors;
  EXPECT_EQ(outcome.output.find(result_mark), std::string::npos);
}

void Program::expect_asleep(int ranks, const std::string& input,
                            const std::vector<std::string>& kinds,
                            const std::vector<std::string>& results) const {
  const std::string path = temporary("asleep.json");
  const Outcome outcome = run(ranks, input + " --computing asleep --slower 2 --json " + path);
  ASSERT_EQ(outcome.exit_status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output,
              HasSubstr(name + ": computing=asleep: steps were slept, not computed"));
  EXPECT_THAT(outcome.output, HasSubstr(name + ": asleep seed=4 samples=16 slower=2 "));
  EXPECT_EQ(outcome.output.find(result_mark), std::string::npos) << outcome.output;
  const auto json = nlohmann::json::parse(contents(path));
  EXPECT_EQ(json.at("computing"), "asleep");
  for (const std::string& result : results) EXPECT_TRUE(json.at(result).is_null()) << result;
  const auto& asleep = json.at("asleep");
  EXPECT_EQ(asleep.at("seed"), 4);
  for (const std::string& kind : kinds) {
    EXPECT_GT(asleep.at("unit_ns").at(kind).get<double>(), 0.0) << kind;
  }
  const double asked_s = asleep.at("asked_s");
  EXPECT_GT(asked_s, 0.0);
  EXPECT_GT(asleep.at("spent_s").get<double>(), 0.5 * asked_s);
  EXPECT_GT(json.at("compute_s").get<double>(), 0.5 * asked_s);
}

void Program::expect_costs_of_an_earlier_run(const std::string& input,
                                             const std::vector<OtherWork>& others) const {
  const std::string asleep = input + " --computing asleep";
  const std::string first = temporary("first.json");
  ASSERT_EQ(run(2, asleep + " --json " + first).exit_status, 0);
  const auto measured = nlohmann::json::parse(contents(first)).at("asleep");
  const std::string again = temporary("again.json");
  const Outcome outcome = run(2, asleep + " --slower 3 --costs " + first + " --json " + again);
  ASSERT_EQ(outcome.exit_status, 0) << outcome.errors;
  const auto taken = nlohmann::json::parse(contents(again)).at("asleep");
  EXPECT_EQ(taken.at("samples_ns"), measured.at("samples_ns"));
  const double asked_s = measured.at("asked_s");
  EXPECT_NEAR(taken.at("asked_s").get<double>(), 3.0 * asked_s, 1e-9 * asked_s);

  const std::string refused = name + ": --costs " + first + ": is of ";
  const Outcome ranks = run(3, asleep + " --costs " + first);
  EXPECT_EQ(ranks.exit_status, 1);
  EXPECT_EQ(occurrences(ranks.errors, refused + "ranks 2; allowed: 3, as in this run"), 1)
      << ranks.errors;
  for (const OtherWork& other : others) {
    const Outcome refusal = run(2, other.arguments + " --computing asleep --costs " + first);
    EXPECT_EQ(refusal.exit_status, 1) << other.arguments;
    EXPECT_EQ(occurrences(refusal.errors, refused + other.message), 1) << refusal.errors;
  }
  const Outcome none = run(3, asleep + " --costs " + file_with("no.json", "{}"));
  EXPECT_EQ(none.exit_status, 1);
  EXPECT_EQ(occurrences(none.errors, "no.json: is not the JSON report of a run with"), 1)
      << none.errors;
}

void Program::expect_failure_where_printing_fails(const std::string& input) const {
  const std::string json = temporary("unprinted.json");
  for (const std::string& arguments : {std::string("--help"), input + " --json " + json}) {
    SCOPED_TRACE(arguments);
    const Outcome outcome =
        launch(2, "sh -c 'exec $PWD/" + path + " " + arguments + " >/dev/full'");
    EXPECT_EQ(outcome.exit_status, 1);
    EXPECT_EQ(occurrences(outcome.errors, name + ": cannot print: No space left on device"), 1)
        << outcome.errors;
  }
  EXPECT_EQ(nlohmann::json::parse(contents(json)).at("ranks"), 2);
}

void Program::expect_report(const nlohmann::json& report, const std::vector<std::string>& parts) {
  EXPECT_EQ(report.at("ranks"), 2);
  EXPECT_EQ(report.at("computing"), "real");
  EXPECT_TRUE(report.at("asleep").is_null());
  EXPECT_EQ(report.at("mismatches"), 0);
  // Parts of one whole, each measured on its own.
  double parts_s = 0.0;
  for (const std::string& part : parts) {
    EXPECT_GT(report.at(part).get<double>(), 0.0) << part;
    parts_s += report.at(part).get<double>();
  }
  EXPECT_LE(parts_s, report.at("total_s").get<double>() * 1.001);
  EXPECT_GE(report.at("arrival_spread_max_us").get<double>(),
            report.at("arrival_spread_mean_us").get<double>());
  EXPECT_GT(report.at("arrival_spread_mean_us").get<double>(), 0.0);
}

std::vector<BadCall> bad_calls_of_all() {
  return {
      {"UnknownComputing", "--random 5 --computing no", 2, "--computing"},
      {"SlowerReal", "--random 5 --slower 2", 2, "--slower: allowed with --computing asleep alone"},
      {"CostsReal", "--random 5 --costs x", 2, "--costs: allowed with --computing asleep alone"},
      {"SlowerByNothing", "--random 5 --computing asleep --slower 0.5", 2, "--slower"},
      {"AsleepVerified", "--random 5 --computing asleep --verify 2", 2,
       "--computing asleep: not together with --verify"},
      {"Unknown", "--random 5 --unknown", 2, "--unknown"}};
}

}  // namespace mpiactor::testing

// MPI RUNTIME PROGRAM, see mpi_script_test.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 4) return 64;
  mpiactor::testing::mpi = argv[1];
  mpiactor::testing::path = argv[3];
  return RUN_ALL_TESTS();
}
