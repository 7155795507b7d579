// The command line from outside: output, exit codes, messages.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace {

struct Outcome {
  int status = -1;
  std::string output;
};

// Both output streams together.
Outcome run(const std::string& arguments) {
  Outcome outcome;
  std::FILE* const pipe = popen(("sim/torus_sim " + arguments + " 2>&1").c_str(), "r");
  char buffer[4096];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) {
    outcome.output.append(buffer, got);
  }
  const int status = pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

TEST(TorusSim, JsonHasResultsAndFit) {
  const Outcome outcome =
      run("--machine k --shape 8x6x8 --collective bcast --algorithm chain --segment 16K "
          "--bytes 1K..1M --json");
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  const auto json = nlohmann::json::parse(outcome.output);
  ASSERT_EQ(json.at("results").size(), 11u);
  for (const auto& result : json.at("results")) {
    const double bytes = result.at("bytes");
    const double time_us = result.at("time_us");
    EXPECT_NEAR(result.at("throughput_mbps").get<double>(), bytes / time_us, 1e-9);
    EXPECT_GT(time_us, 383 * 1.27);
  }
  EXPECT_GT(json.at("fit").at("b_mbps").get<double>(), 0);
  EXPECT_GT(json.at("fit").at("m_half_bytes").get<double>(), 0);
  EXPECT_GT(json.at("fit").at("t0_us").get<double>(), 383 * 1.27);
  EXPECT_EQ(run("--machine k --shape 8x6x8 --algorithm chain --bytes 1K..1M --json").output,
            outcome.output)
      << "deterministic";
}

TEST(TorusSim, TableNamesFitAndLinks) {
  const Outcome outcome = run("--shape 4x4 --algorithm chain,binomial --bytes 1K,1M");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.output.find("chain on generic, shape 4x4"), std::string::npos);
  EXPECT_NE(outcome.output.find("binomial on generic, shape 4x4"), std::string::npos);
  EXPECT_NE(outcome.output.find("fit: B = "), std::string::npos);
  EXPECT_NE(outcome.output.find("peak use"), std::string::npos);
}

TEST(TorusSim, SeveralAlgorithmsMakeAList) {
  const Outcome outcome = run("--shape 4x4 --algorithm chain,binomial --bytes 1K,1M --json");
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  const auto json = nlohmann::json::parse(outcome.output);
  ASSERT_EQ(json.at("algorithms").size(), 2u);
  EXPECT_EQ(json["algorithms"][1]["algorithm"], "binomial");
}

TEST(TorusSim, PlotIsAnSvgWithOneCurveEach) {
  if (std::system("gnuplot --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no gnuplot";
  const std::string file = testing::TempDir() + "/throughput.svg";
  const Outcome outcome =
      run("--shape 4x4 --algorithm chain,binomial --bytes 1K..1M --plot " + file);
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  EXPECT_NE(text.str().find("<svg"), std::string::npos);
  EXPECT_NE(text.str().find("chain"), std::string::npos);
  EXPECT_NE(text.str().find("binomial"), std::string::npos);
  const Outcome nowhere = run("--shape 4x4 --algorithm chain --bytes 1K --plot /nowhere/x.svg");
  EXPECT_NE(nowhere.status, 0);
  EXPECT_NE(nowhere.output.find("/nowhere/x.svg"), std::string::npos);
}

TEST(TorusSim, WrongArgumentsAreNamed) {
  const auto expect_refusal = [](const std::string& arguments, const std::string& text) {
    const Outcome outcome = run(arguments);
    EXPECT_NE(outcome.status, 0) << arguments;
    EXPECT_NE(outcome.output.find(text), std::string::npos) << outcome.output;
  };
  expect_refusal("--algorithm chain --shape 8x0x8", "axis 1 is '0'");
  expect_refusal("--algorithm chain --machine moon", "machine is 'moon'; allowed: ddr_infiniband");
  expect_refusal("--algorithm smoke", "algorithm of bcast is 'smoke'; allowed: ");
  expect_refusal("--algorithm chain --collective smoke",
                 "collective is 'smoke'; allowed: bcast, reduce");
  expect_refusal("--algorithm chain --segment 0", "segment is '0'");
  expect_refusal("--algorithm chain --bytes 1K..", "bytes is ''");
  expect_refusal("--algorithm chain --root 384", "root is 384; allowed: 0 to 383");
  expect_refusal("--algorithm chain --leader me", "leader is 'me'; allowed: static, competitive");
  expect_refusal("--algorithm chain --pattern odd", "pattern is 'odd'; allowed: together");
  expect_refusal("--algorithm chain --window 0", "--window");
  expect_refusal("", "--algorithm is required");
}

}  // namespace
