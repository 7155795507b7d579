// The command line from outside: output, exit codes, messages.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
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

// What the shell command prints.
Outcome shell(const std::string& command) {
  Outcome outcome;
  std::FILE* const pipe = popen(command.c_str(), "r");
  char buffer[4096];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) {
    outcome.output.append(buffer, got);
  }
  const int status = pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

// Both output streams together.
Outcome run(const std::string& arguments) { return shell("sim/torus_sim " + arguments + " 2>&1"); }

nlohmann::json first_result(const std::string& arguments) {
  const Outcome outcome = run(arguments + " --json");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  return nlohmann::json::parse(outcome.output).at("results").at(0);
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

TEST(TorusSim, WithoutGnuplotAPlotIsAFailureWithAMessage) {
  for (int k = 0; k < 8; ++k) {
    const Outcome outcome =
        shell("PATH=/nowhere sim/torus_sim --shape 4x4 --algorithm all --bytes 1..64K --plot " +
              testing::TempDir() + "/none.svg 2>&1");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.output.find("torus_sim: plot: gnuplot failed"), std::string::npos);
  }
}

TEST(TorusSim, WhatCannotBePrintedIsAFailure) {
  const std::string sweep = "--shape 4 --algorithm linear --bytes 1K";
  for (const std::string& arguments :
       {sweep, std::string("--help"), std::string("--closed-loop asp --steps 1 --noise-us 1")}) {
    const Outcome outcome = shell("sim/torus_sim " + arguments + " 2>&1 >/dev/full");
    EXPECT_EQ(outcome.status, 1) << arguments;
    EXPECT_NE(outcome.output.find("torus_sim: cannot print: "), std::string::npos)
        << outcome.output;
  }
  if (std::system("gnuplot --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no gnuplot";
  const Outcome plot = run(sweep + " --plot /dev/full");
  EXPECT_EQ(plot.status, 1);
  EXPECT_NE(plot.output.find("torus_sim: plot /dev/full: writing failed"), std::string::npos);
}

// In an allreduce all need the last one; in a reduction only the root does.
TEST(TorusSim, ExcessIsBeyondWhatIsNeeded) {
  const std::string late = "--pattern one-late --skew-us 10000 --bytes 1K --shape 4x4";
  const auto allreduce =
      first_result(late + " --collective allreduce --algorithm trinaryx3 --seed 3");
  EXPECT_GT(allreduce.at("in_call_mean_us"), 9000);
  EXPECT_GT(allreduce.at("excess_mean_us"), 0);
  EXPECT_LT(allreduce.at("excess_mean_us"), 100);
  const auto reduce = first_result(
      "--pattern one-late --skew-us 100000 --bytes 100 --shape 4x1 --collective reduce --algorithm "
      "binomial --root 3 --seed 36");
  EXPECT_GT(reduce.at("excess_mean_us"), 0);
}

// Ascending arrivals: rank 0 waits for the root, which is rank 1, and node 1 is late.
TEST(TorusSim, ANodeSendsForItsRootUnlessToldOtherwise) {
  const std::string call =
      "--machine tcp_hosts --shape 2 --ranks-per-node 2 --algorithm chain --bytes 64K --root 1 "
      "--pattern ascending --skew-us 30000";
  const std::string loop = "--closed-loop vcc --steps 64 --noise-us 400";
  for (const std::string& sweep : {call, call + " --leader competitive"}) {
    const double node = first_result(sweep).at("in_call_max_us");
    const double root = first_result(sweep + " --sender root").at("in_call_max_us");
    EXPECT_GT(node, 20000) << "rank 0's, from the start to the coming of node 1";
    EXPECT_LT(root, 12000) << "the root's, or rank 0's wait for it";
  }
  for (const int runtime : {2, 3}) {
    const auto by_node = first_result(loop).at("contenders").at(runtime);
    const auto by_root = first_result(loop + " --sender root").at("contenders").at(runtime);
    EXPECT_EQ(by_node.at("sender"), "node");
    EXPECT_EQ(by_root.at("sender"), "root");
    EXPECT_LT(by_node.at("root_in_call_mean_us"), by_root.at("root_in_call_mean_us"));
  }
}

TEST(TorusSim, RepetitionsAreAllCounted) {
  const std::string sweep =
      "--machine k --shape 4x4x4 --algorithm binomial --patience-us 10 --pattern random "
      "--skew-us 10000 --bytes 1K --seed ";
  double links = 0;
  double transfers = 0;
  for (const char* seed : {"2", "3", "4"}) {
    const auto one = first_result(sweep + seed);
    links = std::max(links, one.at("links_used").get<double>());
    transfers += one.at("transfers").get<double>() / 3;
  }
  const auto all = first_result(sweep + "2 --reps 3");
  EXPECT_EQ(all.at("links_used"), links);
  EXPECT_NEAR(all.at("transfers").get<double>(), transfers, 1e-9);
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
  for (const char* call : {"--shape 4 --algorithm linear --pattern one-late --skew-us 5",
                           "--shape 4 --closed-loop asp"}) {
    for (const char* ranks : {"0", "-1", "4097"}) {
      expect_refusal(
          std::string(call) + " --ranks-per-node " + ranks,
          std::string("torus_sim: ranks-per-node is ") + ranks + "; allowed on 4 nodes: 1 to 4096");
    }
  }
  for (const char* call :
       {"--algorithm binomial --bytes 1 --pattern late-leaders --skew-us 1", "--closed-loop asp"}) {
    expect_refusal(std::string(call) + " --shape 1024x1024x4 --ranks-per-node 1024",
                   "ranks-per-node is 1024; allowed on 4194304 nodes: 1 to 511");
  }
  expect_refusal(
      "--shape 16 --ranks-per-node 1024 --collective alltoall --algorithm bruck --bytes 1K,1G",
      "bytes is 1G; allowed with alltoall of 16384 ranks: at most 4M");
  expect_refusal("--shape 4 --ranks-per-node 4096 --collective reduce --algorithm chain --bytes 1T",
                 "bytes is 1T; allowed with reduce of 16384 ranks: at most 256G");
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
