// Every broadcast algorithm under the verifier: node counts 1..70, every root of few nodes and
// random ones of more, random sizes, segments and interleavings.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "inter/verifier.h"

namespace mpiactor::inter {
namespace {

constexpr int kMaxNodes = 70;
constexpr int kEveryRoot = 33;  // up to so many nodes
constexpr int kRandomRoots = 10;

class BcastVerify : public testing::TestWithParam<const Algorithm*> {};

Scenario random_scenario(std::mt19937_64& random, const Shape& shape, int root) {
  auto between = [&](std::uint64_t low, std::uint64_t high) {
    return std::uniform_int_distribution<std::uint64_t>(low, high)(random);
  };
  Scenario scenario;
  scenario.shape = shape;
  scenario.root_node = root;
  // Below the node count (empty blocks), around it, and far above.
  const std::uint64_t tops[] = {4, 80, 1'000, 1 << 20, std::uint64_t{5} << 30};
  scenario.bytes = between(1, tops[between(0, 4)]);
  scenario.segment_bytes = std::max<std::uint64_t>(1, scenario.bytes / between(1, 6));
  scenario.granule_bytes = between(0, 3) == 0 ? between(2, 64) : 1;
  scenario.segments_in_flight = static_cast<int>(between(1, 3));
  scenario.seed = random();
  return scenario;
}

// Of more nodes than kEveryRoot: the first, the last, and others by chance.
std::vector<int> some_roots(std::mt19937_64& random, int nodes) {
  std::vector<int> roots(static_cast<std::size_t>(nodes));
  std::iota(roots.begin(), roots.end(), 0);
  if (nodes <= kEveryRoot) return roots;
  std::shuffle(roots.begin() + 1, roots.end() - 1, random);
  std::swap(roots[1], roots.back());
  roots.resize(2 + kRandomRoots);
  return roots;
}

TEST_P(BcastVerify, EveryNodeCountAndRoot) {
  const std::uint64_t seed = std::random_device()();
  fmt::print("seed {}\n", seed);
  std::mt19937_64 random(seed);
  for (int nodes = 1; nodes <= kMaxNodes; ++nodes) {
    for (const int root : some_roots(random, nodes)) {
      const Scenario scenario = random_scenario(random, Shape::line(nodes), root);
      const VerifyReport report = verify_algorithm(*GetParam(), scenario);
      ASSERT_EQ(report.error, "") << "seed " << seed;
      if (nodes > 1) {
        // Nobody gets a byte twice, so nobody gets more than the message.
        ASSERT_EQ(report.max_received_bytes, scenario.bytes);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, BcastVerify, testing::ValuesIn([] {
                           std::vector<const Algorithm*> rows;
                           for (const Algorithm& algorithm : algorithms()) {
                             if (algorithm.collective == Collective::kBcast)
                               rows.push_back(&algorithm);
                           }
                           return rows;
                         }()),
                         [](const auto& row) { return std::string(row.param->name); });

unsigned ceil_log2(int value) {
  unsigned power = 0;
  while ((1 << power) < value) ++power;
  return power;
}

VerifyReport measured(const char* name, int nodes) {
  Scenario scenario;
  scenario.shape = Shape::line(nodes);
  scenario.bytes = 100'000;
  scenario.segment_bytes = 100'000;
  return verify_algorithm(*find_algorithm(Collective::kBcast, name), scenario);
}

TEST(BcastMeasures, RoundsDepthAndBytes) {
  for (int nodes = 2; nodes <= kMaxNodes; ++nodes) {
    const unsigned log = ceil_log2(nodes);
    const auto floor_log = static_cast<int>(std::log2(nodes));
    EXPECT_EQ(measured("linear", nodes).rounds, nodes - 1);
    EXPECT_EQ(measured("linear", nodes).depth, 1);
    EXPECT_EQ(measured("chain", nodes).rounds, nodes - 1);
    EXPECT_EQ(measured("chain", nodes).max_sent_bytes, 100'000u);
    EXPECT_EQ(measured("binary", nodes).depth, floor_log);
    EXPECT_EQ(measured("binary", nodes).max_ops, nodes == 2 ? 1u : nodes <= 4 ? 2u : 3u);
    EXPECT_EQ(measured("binomial", nodes).rounds, static_cast<int>(log));
    EXPECT_LE(measured("rdaas", nodes).rounds, static_cast<int>(2 * log)) << nodes;
    EXPECT_LE(measured("ring", nodes).rounds, static_cast<int>(log) + nodes - 1) << nodes;
    // Less than the message for the scatter, and less for the allgather, but for one block more per
    // halving where parts are uneven.
    const auto block = static_cast<std::uint64_t>(100'000 / nodes + 1);
    EXPECT_LT(measured("rdaas", nodes).max_sent_bytes, 200'000u + log * block) << nodes;
    EXPECT_LT(measured("ring", nodes).max_sent_bytes, 200'000u) << nodes;
  }
}

TEST(BcastMeasures, RingWithMoreStepsThanChannels) {
  Scenario scenario;
  scenario.shape = Shape::line(1'030);
  scenario.bytes = 1'500;
  scenario.segment_bytes = 1;
  scenario.root_node = 700;
  const VerifyReport report =
      verify_algorithm(*find_algorithm(Collective::kBcast, "ring"), scenario);
  EXPECT_EQ(report.error, "");
}

}  // namespace
}  // namespace mpiactor::inter
