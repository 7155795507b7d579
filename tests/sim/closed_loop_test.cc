#include "sim/closed_loop.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/arguments.h"
#include "sim/collective.h"
#include "sim/contest.h"
#include "tests/sim/plans.h"

namespace mpiactor::sim {
namespace {

ClosedLoopInput loop_of(Contender contender, std::uint64_t bytes, std::uint64_t steps) {
  ClosedLoopInput input;
  input.contender.machine = load_machine("ddr_infiniband");
  input.contender.shape = inter::Shape::line(4);
  input.contender.ranks_per_node = 4;
  input.contender.contender = contender;
  input.contender.bytes = bytes;
  input.application = {.name = "test", .bytes = bytes, .steps = steps};
  return input;
}

void expect_equal(const ClosedLoopResult& one, const ClosedLoopResult& other) {
  EXPECT_EQ(one.in_call_mean_us, other.in_call_mean_us);
  EXPECT_EQ(one.root_in_call_mean_us, other.root_in_call_mean_us);
  EXPECT_EQ(one.spread_mean_us, other.spread_mean_us);
  EXPECT_EQ(one.total_s, other.total_s);
}

TEST(ClosedLoop, WithoutNoiseAndComputingItIsAChainOfBroadcasts) {
  constexpr std::uint64_t kSteps = 40;
  ClosedLoopInput input = loop_of(Contender::kStatic, 8192, kSteps);
  input.contender.ranks_per_node = 1;
  const ClosedLoopResult result = run_closed_loop(input);

  // Pushed without a limit, as the runtime does but for every 64th; the root changes every time.
  CollectiveInput call;
  call.machine = input.contender.machine;
  call.machine.eager_bytes_1_hop = call.machine.eager_bytes_40_hops = 1 << 20;
  call.shape = input.contender.shape;
  call.algorithm = parse_algorithm(inter::Collective::kBcast, "binomial", call.shape);
  call.bytes = 8192;
  call.arrivals.assign(4, 0);
  double in_call_ps = 0;
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    call.root_rank = static_cast<int>(step % 4);
    CollectiveResult played = run_collective(call);
    in_call_ps += played.in_call_mean_ps;
    call.arrivals = std::move(played.exits);
  }
  const Picoseconds last = *std::max_element(call.arrivals.begin(), call.arrivals.end());
  EXPECT_NEAR(result.total_s * 1e12, static_cast<double>(last), 1);
  EXPECT_NEAR(result.in_call_mean_us * kUs, in_call_ps / kSteps, 1);
}

TEST(ClosedLoop, TheSeedDecidesEverything) {
  for (const Contender contender : kContenders) {
    ClosedLoopInput input = loop_of(contender, 40960, 50);
    input.noise = {.kind = NoiseKind::kIndependent, .largest = 100 * kUs, .seed = 7};
    const ClosedLoopResult result = run_closed_loop(input);
    expect_equal(run_closed_loop(input), result);
    input.noise.seed = 8;
    EXPECT_NE(run_closed_loop(input).in_call_mean_us, result.in_call_mean_us);
  }
}

TEST(ClosedLoop, BisectionHitsTheSpread) {
  for (const NoiseKind kind : {NoiseKind::kIndependent, NoiseKind::kRare}) {
    ClosedLoopInput input = loop_of(Contender::kPlain, 40960, 100);
    input.noise = {.kind = kind, .largest = 0, .seed = 3};
    input.noise.largest = find_noise(input, 250);
    EXPECT_NEAR(run_closed_loop(input).spread_mean_us, 250, 0.005 * 250);
  }
  try {
    find_noise(loop_of(Contender::kPlain, 40960, 20), 0.001);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find("spread-us is 0.001; allowed: at least "), 0u);
  }
}

// Two ranks of a node, the faster one being the root of all broadcasts.
TEST(ClosedLoop, NobodyIsMoreThan32BroadcastsAhead) {
  ClosedLoopInput input = loop_of(Contender::kStatic, 1024, 2000);
  input.contender.shape = inter::Shape::line(1);
  input.contender.ranks_per_node = 2;
  input.application.steps_per_root = input.application.steps;
  input.noise = {.kind = NoiseKind::kPersistent, .largest = 1000 * kUs, .seed = 1};
  while (input.noise.of(0, 0) * 2 > input.noise.of(0, 1)) ++input.noise.seed;
  const ClosedLoopResult result = run_closed_loop(input);
  const double slower_us = result.total_s * 1e6 / 2000;
  // Its arrival follows from when the other one left 33 broadcasts before.
  EXPECT_LT(result.spread_mean_us, 33 * slower_us);
  EXPECT_GT(result.spread_mean_us, 30 * slower_us);
  EXPECT_GT(result.root_in_call_mean_us, 0.4 * slower_us) << "it waits for the other one";
}

TEST(ClosedLoop, CompetitiveGainsByIndependentNoise) {
  ContestInput contest;
  contest.base = loop_of(Contender::kStatic, 40960, 200);
  contest.base.application.computing = 500 * kUs;
  contest.noises = {0, 400 * kUs};
  const std::vector<ContestPoint> points = run_contest(contest);
  ASSERT_EQ(points.size(), 2u);
  EXPECT_NEAR(points[0].ratio(Contender::kCompetitive, Contender::kStatic), 1, 0.02);
  EXPECT_LT(points[1].ratio(Contender::kCompetitive, Contender::kStatic), 0.8);
  EXPECT_LT(points[1].ratio(Contender::kCompetitive, Contender::kPlain), 0.8);
  EXPECT_EQ(sender_of(contest, Contender::kCompetitive), RootSender::kNode);
  EXPECT_EQ(sender_of(contest, Contender::kStatic), RootSender::kNode);
  EXPECT_EQ(sender_of(contest, Contender::kTwoLevel), RootSender::kRoot);
  contest.base.contender.contender = Contender::kPlain;
  contest.base.noise.largest = 400 * kUs;
  expect_equal(points[1].of(Contender::kPlain), run_closed_loop(contest.base));
}

TEST(Application, AspAndVcc) {
  const Application asp = make_application("asp", 128);
  EXPECT_EQ(asp.bytes, 40960u);
  EXPECT_EQ(asp.steps, 10240u);
  EXPECT_EQ(asp.computing, 10240ull * 10240 / 128 * 2000);
  EXPECT_EQ(asp.root_of(79, 128), 0);
  EXPECT_EQ(asp.root_of(80, 128), 1);
  EXPECT_EQ(asp.root_of(10239, 128), 127);
  const Application vcc = make_application("vcc", 128);
  EXPECT_EQ(vcc.bytes, 262144u);
  EXPECT_EQ(vcc.root_of(129, 128), 1);
  EXPECT_THROW(make_application("smoke", 128), InputError);
}

TEST(Noise, KindsHaveTheirDistributions) {
  constexpr int kDraws = 100'000;
  for (const NoiseKind kind : {NoiseKind::kIndependent, NoiseKind::kPersistent, NoiseKind::kRare}) {
    const Noise noise = {.kind = kind, .largest = 10 * kUs, .seed = 5};
    double sum = 0;
    int none = 0;
    Picoseconds largest = 0;
    for (int k = 0; k < kDraws; ++k) {
      const Picoseconds drawn =
          kind == NoiseKind::kPersistent ? noise.of(0, k) : noise.of(static_cast<unsigned>(k), 3);
      sum += static_cast<double>(drawn);
      none += drawn == 0;
      largest = std::max(largest, drawn);
    }
    EXPECT_NEAR(sum / kDraws / kUs, 5, kind == NoiseKind::kRare ? 0.5 : 0.05)
        << noise_kind_name(kind);
    EXPECT_NEAR(static_cast<double>(none) / kDraws, kind == NoiseKind::kRare ? 0.99 : 0, 0.002);
    EXPECT_LE(largest, (kind == NoiseKind::kRare ? 1000 : 10) * kUs);
    EXPECT_EQ(noise.of(1, 4) == noise.of(2, 4), kind != NoiseKind::kIndependent);
    EXPECT_EQ(parse_noise_kind(noise_kind_name(kind)), kind);
  }
  EXPECT_THROW(parse_noise_kind("loud"), InputError);
}

}  // namespace
}  // namespace mpiactor::sim
