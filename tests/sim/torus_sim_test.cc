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

TEST(TorusSim, ClosedLoopComparesFourContenders) {
  const std::string arguments = "--closed-loop asp --steps 20 --noise-us 0,300 --seed 4";
  const Outcome outcome = run(arguments + " --json");
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  const auto json = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(json.at("closed_loop"), "asp");
  EXPECT_EQ(json.at("algorithm"), "rdaas");
  EXPECT_EQ(json.at("bytes"), 40960);
  EXPECT_EQ(json.at("seed"), 4);
  ASSERT_EQ(json.at("results").size(), 2u);
  for (const auto& point : json["results"]) {
    ASSERT_EQ(point.at("contenders").size(), 4u);
    const auto& contenders = point["contenders"];
    const auto in_call = [&](int k) { return contenders[k].at("in_call_mean_us").get<double>(); };
    for (int k = 0; k < 4; ++k) {
      EXPECT_NEAR(contenders[k].at("to_plain").get<double>(), in_call(k) / in_call(0), 1e-9);
      EXPECT_NEAR(contenders[k].at("to_static").get<double>(), in_call(k) / in_call(2), 1e-9);
    }
  }
  EXPECT_LT(json["results"][1]["contenders"][3]["to_static"].get<double>(), 1);
  const Outcome table = run(arguments);
  ASSERT_EQ(table.status, 0) << table.output;
  EXPECT_NE(table.output.find("asp on ddr_infiniband, 16 nodes x 8 ranks, 20 broadcasts of 40K"),
            std::string::npos);
  EXPECT_NE(table.output.find("seed 4"), std::string::npos);
  const Outcome vcc = run("--closed-loop vcc --steps 3 --spread-us 1500 --sender root");
  ASSERT_EQ(vcc.status, 0) << vcc.output;
  EXPECT_NE(vcc.output.find("3 broadcasts of 256K by rdaas"), std::string::npos);
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
  expect_refusal("--algorithm chain --threads 1000000", "--threads");
  for (const char* option : {"skew-us", "patience-us"}) {
    for (const char* value : {"nan", "-1", "2000000000"}) {
      expect_refusal(std::string("--algorithm chain --") + option + " " + value,
                     std::string(option) + " is " + value + "; allowed: 0 to");
    }
  }
  expect_refusal("--closed-loop asp --computing-us nan", "computing-us is nan; allowed: 0 to");
  expect_refusal("", "--algorithm is required");
  expect_refusal("--closed-loop lu", "closed-loop is 'lu'; allowed: asp, vcc");
  expect_refusal("--closed-loop asp --noise loud",
                 "noise is 'loud'; allowed: independent, persistent, rare");
  expect_refusal("--closed-loop asp --noise-us -1", "noise-us is -1; allowed: 0 to 1000000");
  expect_refusal("--closed-loop asp --spread-us -1", "spread-us is -1; allowed: 0 to 1000000");
  expect_refusal("--closed-loop asp --steps -1", "steps is -1; allowed: 1 to 10000000");
  expect_refusal("--closed-loop asp --size 3M", "size is 3M; allowed: 1 to 2M");
  expect_refusal("--closed-loop asp --sender me", "sender is 'me'; allowed: root, node");
  expect_refusal("--closed-loop asp --algorithm chain,ring",
                 "algorithm is 'chain,ring'; allowed with a closed loop: one");
  expect_refusal("--closed-loop asp --spread-us 1 --noise-us 1", "--noise-us excludes --spread-us");
  expect_refusal("--closed-loop asp --skew-us 1", "excludes --closed-loop");
  expect_refusal("--algorithm chain --noise-us 1", "--noise-us requires --closed-loop");
}

}  // namespace
