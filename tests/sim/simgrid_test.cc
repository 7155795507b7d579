// The simulator against an independent one: the engine's own code under SimGrid's SMPI.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

namespace {

constexpr int kBuiltWithoutSimGrid = 77;

struct Outcome {
  int status = -1;
  std::string output;
};

// Both output streams together.
Outcome compare(const std::string& arguments) {
  Outcome outcome;
  std::FILE* const pipe = popen(("sim/simgrid/compare " + arguments + " 2>&1").c_str(), "r");
  char buffer[4096];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) {
    outcome.output.append(buffer, got);
  }
  const int status = pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

// `within`: of the ratio of the two times to 1.
void expect_agreement(const std::string& arguments, std::size_t cases, double within) {
  const Outcome outcome = compare("--json " + arguments);
  if (outcome.status == kBuiltWithoutSimGrid) GTEST_SKIP() << outcome.output;
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  const auto results = nlohmann::json::parse(outcome.output).at("results");
  ASSERT_EQ(results.size(), cases);
  for (const auto& result : results) {
    EXPECT_NEAR(result.at("ratio").get<double>(), 1, within) << result;
    EXPECT_NEAR(result.at("torus_sim_us").get<double>() / result.at("smpi_us").get<double>(),
                result.at("ratio").get<double>(), 1e-9);
    // The ranks got what the root sent: it was a broadcast that was timed.
    EXPECT_TRUE(result.at("checked").get<bool>() || result.at("bytes").get<int>() > 65536);
  }
}

// Where no message waits for another one's link the two models are the same.
TEST(SimGrid, TreesOnTheirOwnLinksAgree) {
  expect_agreement("--shape 8x6x8 --algorithm chain,trinaryx3 --bytes 64K,1M", 4, 0.02);
}

// Here messages meet on links: SimGrid lets them share a link, torus_sim lets one go after the
// other. On half the torus: SimGrid's work grows with the cube of the ring.
TEST(SimGrid, ScatterAndRingAgree) {
  expect_agreement("--shape 8x6x4 --algorithm ring --bytes 1M", 1, 0.15);
}

TEST(SimGrid, WhatSimGridDoesNotKnowIsRefused) {
  const auto expect_refusal = [](const std::string& arguments, const std::string& text) {
    const Outcome outcome = compare(arguments);
    if (outcome.status == kBuiltWithoutSimGrid) GTEST_SKIP() << outcome.output;
    EXPECT_EQ(outcome.status, 1) << arguments;
    EXPECT_NE(outcome.output.find(text), std::string::npos) << outcome.output;
  };
  expect_refusal("--machine k", "machine k cannot be shown in SimGrid: eager_bytes are 18000 and");
  expect_refusal("--machine ddr_infiniband", "network is a switch; allowed: torus");
  expect_refusal("--shape 8x6mx8", "axis 1 does not wrap around; allowed: tori");
  expect_refusal("--algorithm smoke", "algorithm of bcast is 'smoke'; allowed: ");
}

}  // namespace
