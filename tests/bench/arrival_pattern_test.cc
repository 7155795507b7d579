#include "bench/arrival_pattern.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

namespace mpiactor::bench {
namespace {

using Delays = std::vector<std::int64_t>;

ArrivalPlan plan_of(Pattern pattern, NodeMap nodes, std::int64_t skew_ns = 600) {
  ArrivalPlan plan;
  plan.pattern = pattern;
  plan.skew_ns = skew_ns;
  plan.nodes = std::move(nodes);
  return plan;
}

TEST(ArrivalPattern, NamesReadBack) {
  for (const std::string& name : pattern_names()) {
    EXPECT_EQ(pattern_name(parse_pattern(name)), name);
  }
  EXPECT_EQ(parse_pattern("late-leaders"), Pattern::kLateLeaders);
  EXPECT_THROW(parse_pattern("late"), std::invalid_argument);
}

TEST(ArrivalPattern, TextSaysTheSkewInMilliseconds) {
  EXPECT_EQ(arrivals_text(plan_of(Pattern::kOneLate, {0}, 20'000'000)), "one-late, skew 20 ms");
  EXPECT_EQ(arrivals_text(plan_of(Pattern::kRandom, {0}, 500'000)), "random, skew 0.5 ms");
  EXPECT_EQ(arrivals_text(plan_of(Pattern::kRandom, {0}, 0)), "together (skew 0)");
}

TEST(ArrivalPattern, SingledOutRankIsChecked) {
  EXPECT_EQ(parse_singled_out("root", 4).kind, SingledOut::Kind::kRoot);
  EXPECT_EQ(parse_singled_out("rotate", 4).kind, SingledOut::Kind::kRotate);
  EXPECT_EQ(parse_singled_out("3", 4).rank, 3);
  for (const char* text : {"4", "-1", "", "3x", "all"}) {
    EXPECT_THROW(parse_singled_out(text, 4), std::invalid_argument) << text;
  }
}

TEST(ArrivalPattern, RandomIsUniformWithinTheSkewAndChangesWithRepetitionAndSeed) {
  constexpr std::int64_t kSkewNs = 20'000'000;
  ArrivalPlan plan = plan_of(Pattern::kRandom, NodeMap(1000, 0), kSkewNs);
  const Delays delays = arrival_delays_ns(plan, 3, 0);
  for (const std::int64_t delay : delays) {
    EXPECT_GE(delay, 0);
    EXPECT_LE(delay, kSkewNs);
  }
  // The mean of 1000 samples lies within 5 standard errors (0.29 of the skew / sqrt(1000)) of half.
  const double mean =
      static_cast<double>(std::accumulate(delays.begin(), delays.end(), 0LL)) / 1000;
  EXPECT_NEAR(mean / static_cast<double>(kSkewNs), 0.5, 0.046);
  EXPECT_EQ(arrival_delays_ns(plan, 3, 7), delays);
  EXPECT_NE(arrival_delays_ns(plan, 4, 0), delays);
  plan.seed = 2;
  EXPECT_NE(arrival_delays_ns(plan, 3, 0), delays);
}

TEST(ArrivalPattern, RandomIsTheSameOnEveryMachine) {
  // The standard fixes the outputs of mt19937_64 seeded by seed_seq{1, 0, 0, 0} (seed, repetition).
  std::seed_seq words{1u, 0u, 0u, 0u};
  std::mt19937_64 engine(words);
  const auto first =
      static_cast<std::int64_t>(static_cast<double>(engine() >> 11) / 9007199254740992.0 * 600.0);
  const auto second =
      static_cast<std::int64_t>(static_cast<double>(engine() >> 11) / 9007199254740992.0 * 600.0);
  EXPECT_EQ(arrival_delays_ns(plan_of(Pattern::kRandom, {0, 0}), 0, 0), (Delays{first, second}));
}

TEST(ArrivalPattern, OneLateTakesEveryNonRootRankInTurn) {
  const ArrivalPlan plan = plan_of(Pattern::kOneLate, {0, 0, 1, 1});
  std::set<std::pair<int, int>> root_and_late;
  for (int repetition = 0; repetition < 12; ++repetition) {
    const int root = repetition % 4;
    const Delays delays = arrival_delays_ns(plan, repetition, root);
    EXPECT_EQ(std::accumulate(delays.begin(), delays.end(), std::int64_t{0}), 600);
    for (int rank = 0; rank < 4; ++rank) {
      if (delays[static_cast<std::size_t>(rank)] == 600) root_and_late.emplace(root, rank);
    }
  }
  EXPECT_EQ(root_and_late.size(), 12u);  // every pair of different ranks
  for (const auto& [root, late] : root_and_late) EXPECT_NE(root, late);
}

TEST(ArrivalPattern, OneLateAndOneEarlyCanSingleOutTheRootOrARank) {
  ArrivalPlan plan = plan_of(Pattern::kOneLate, {0, 0, 0});
  plan.singled_out = parse_singled_out("root", 3);
  EXPECT_EQ(arrival_delays_ns(plan, 5, 2), (Delays{0, 0, 600}));
  plan.singled_out = parse_singled_out("1", 3);
  EXPECT_EQ(arrival_delays_ns(plan, 5, 2), (Delays{0, 600, 0}));
  plan.pattern = Pattern::kOneEarly;
  EXPECT_EQ(arrival_delays_ns(plan, 5, 2), (Delays{600, 0, 600}));
}

TEST(ArrivalPattern, AscendingGoesFromZeroToTheSkew) {
  EXPECT_EQ(arrival_delays_ns(plan_of(Pattern::kAscending, {0, 0, 0, 0}), 9, 1),
            (Delays{0, 200, 400, 600}));
  EXPECT_EQ(arrival_delays_ns(plan_of(Pattern::kAscending, {0}), 0, 0), (Delays{0}));
}

TEST(ArrivalPattern, LateLeadersAreTheLowestRanksOfTheNodes) {
  EXPECT_EQ(arrival_delays_ns(plan_of(Pattern::kLateLeaders, {0, 0, 1, 1, 0, 2}), 4, 3),
            (Delays{600, 0, 600, 0, 0, 600}));
}

TEST(ArrivalPattern, LateNodeIsAnotherThanTheRootsInTurn) {
  const ArrivalPlan plan = plan_of(Pattern::kLateNode, {0, 0, 1, 2});
  EXPECT_EQ(arrival_delays_ns(plan, 0, 1), (Delays{0, 0, 600, 0}));
  EXPECT_EQ(arrival_delays_ns(plan, 1, 1), (Delays{0, 0, 0, 600}));
  EXPECT_EQ(arrival_delays_ns(plan, 0, 3), (Delays{600, 600, 0, 0}));
}

TEST(ArrivalPattern, WorksForASingleRank) {
  for (const std::string& name : pattern_names()) {
    EXPECT_EQ(arrival_delays_ns(plan_of(parse_pattern(name), {0}, 0), 1, 0), (Delays{0})) << name;
  }
}

}  // namespace
}  // namespace mpiactor::bench
