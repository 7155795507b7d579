// The rounds of Swing and Bine trees on random shapes, and what the plans made of them do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <set>
#include <vector>

#include "inter/tofu_algos/swing_rounds.h"
#include "inter/verifier.h"
#include "tests/inter/tofu_algos/shapes.h"

namespace mpiactor::inter {
namespace {

using Pairs = SwingRounds::Pairs;

Shape random_shape(std::mt19937_64& random) {
  Shape shape;
  for (int axis = 0; axis < 3; ++axis) {
    shape.extent[axis] = 1 + static_cast<int>(random() % (axis == 0 ? 48 : 6));
    shape.wraps[axis] = random() % 3 > 0;
  }
  return shape;
}

// Who meets agrees on who has which digit, and has the same digits in earlier rounds.
void expect_groups(const SwingRounds& rounds, const std::vector<std::vector<int>>& digits,
                   int index, int node) {
  for (int digit = 0; digit < rounds.radix(index); ++digit) {
    const int member = rounds.member(index, node, digit);
    EXPECT_EQ(rounds.digit(index, member), digit);
    EXPECT_EQ(rounds.member(index, member, rounds.digit(index, node)), node);
    const auto& own = digits[static_cast<std::size_t>(node)];
    EXPECT_TRUE(std::equal(own.begin(), own.begin() + index,
                           digits[static_cast<std::size_t>(member)].begin()));
  }
}

void expect_rounds(const Shape& shape, const SwingWay& way) {
  const SwingRounds rounds(shape, way, Pairs::kSwing);
  const auto nodes = static_cast<int>(shape.nodes());
  std::vector<std::vector<int>> digits(static_cast<std::size_t>(nodes));
  for (int node = 0; node < nodes; ++node) {
    for (int index = 0; index < rounds.count(); ++index) {
      digits[static_cast<std::size_t>(node)].push_back(rounds.digit(index, node));
    }
  }
  EXPECT_EQ(std::set(digits.begin(), digits.end()).size(), digits.size());
  for (int node = 0; node < nodes; ++node) {
    for (int index = 0; index < rounds.count(); ++index) {
      expect_groups(rounds, digits, index, node);
    }
  }
}

TEST(SwingRounds, DigitsCutTheNodesRoundByRound) {
  const std::uint64_t seed = std::random_device()();
  fmt::print("seed {}\n", seed);
  std::mt19937_64 random(seed);
  for (int k = 0; k < 40; ++k) {
    const Shape shape = random_shape(random);
    for (const SwingWay& way : swing_ways(shape)) expect_rounds(shape, way);
    ASSERT_FALSE(HasFailure()) << name_of(shape) << "seed " << seed;
  }
}

// Whoever swaps holds the same part of what larger groups have cut.
TEST(SwingRounds, ClosedPairsStayWithinTheirDigits) {
  for (const int extent : {6, 12, 18, 24, 40, 48}) {
    const SwingRounds rounds(Shape::line(extent), {}, Pairs::kClosed);
    for (int node = 0; node < extent; ++node) {
      for (int pair = 0; rounds.radix(pair) == 2; ++pair) {
        const int other = rounds.member(pair, node, 1 - rounds.digit(pair, node));
        for (int group = pair + 1; group < rounds.count(); ++group) {
          if (rounds.radix(group) == 2) continue;
          EXPECT_EQ(rounds.digit(group, node), rounds.digit(group, other));
        }
      }
    }
  }
}

TEST(SwingRounds, DistancesAreThoseOfThePaper) {
  const SwingRounds rounds(Shape::line(64), {}, Pairs::kSwing);
  const int even[] = {1, 63, 3, 59, 11, 43};  // of 0: 1, -1, 3, -5, 11, -21
  ASSERT_EQ(rounds.count(), 6);
  for (int index = 0; index < 6; ++index) {
    EXPECT_EQ(rounds.member(index, 0, 1 - rounds.digit(index, 0)), even[index]);
    EXPECT_EQ(rounds.member(index, 1, 1 - rounds.digit(index, 1)), (65 - even[index]) % 64);
  }
  const SwingRounds mirrored(Shape::line(64), {0, true}, Pairs::kSwing);
  EXPECT_EQ(mirrored.member(0, 0, 1 - mirrored.digit(0, 0)), 63);
}

VerifyReport verified(const char* name, const Shape& shape, std::uint64_t bytes) {
  Scenario scenario;
  scenario.shape = shape;
  scenario.bytes = bytes;
  scenario.segment_bytes = bytes;
  const VerifyReport report =
      verify_algorithm(*find_algorithm(Collective::kAllreduce, name), scenario);
  EXPECT_EQ(report.error, "");
  return report;
}

// Six links a node, and all of them carry equally much on a cube of four.
TEST(Swing, UsesAllLinksEqually) {
  constexpr std::uint64_t kBytes = 6 * 64 * 1024;
  const VerifyReport report = verified("swing", shape_of(4, 4, 4), kBytes);
  EXPECT_EQ(report.links.links_used, 6 * 64);
  EXPECT_EQ(report.links.max_bytes, 2 * (kBytes - kBytes / 64) / 6);
  EXPECT_EQ(report.max_sent_bytes, 2 * (kBytes - kBytes / 64));
  EXPECT_EQ(report.depth, 12);
  EXPECT_EQ(verified("swingshort", shape_of(4, 4, 4), kBytes).depth, 6);
}

TEST(Swing, VeryShortMessagesGoByOneWay) {
  EXPECT_EQ(verified("swingshort", shape_of(4, 4, 4), kShortestSwingPart).streams, 1);
  EXPECT_EQ(verified("swingshort", shape_of(4, 4, 4), 2 * kShortestSwingPart).streams, 2);
}

TEST(Swing, NeedsSmallPrimeFactors) {
  EXPECT_TRUE(has_swing_rounds(shape_of(48, 36, 48)));
  EXPECT_TRUE(has_swing_rounds(Shape::line(83)));
  EXPECT_FALSE(has_swing_rounds(Shape::line(89)));
  EXPECT_FALSE(find_algorithm(Collective::kAllreduce, "swing")->supports(Shape::line(89)));
}

}  // namespace
}  // namespace mpiactor::inter
