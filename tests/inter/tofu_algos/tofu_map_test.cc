// Every virtual link of a laid torus must be one physical hop, every place a node of its own, and
// failed nodes left out.
#include "inter/tofu_algos/tofu_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "inter/tofu_algos/ladder.h"
#include "tests/inter/tofu_algos/shapes.h"

namespace mpiactor::inter {
namespace {

using testing::HasSubstr;

const TofuMachine kK{{24, 18, 16, 2, 3, 2}, {true, false, true, false, true, false}};

void expect_well_laid(const TofuMachine& machine, const TofuMap& map,
                      const std::vector<TofuNode>& failed) {
  const Shape& shape = map.shape();
  const std::set<TofuNode> forbidden(failed.begin(), failed.end());
  std::set<TofuNode> taken;
  for (int position = 0; position < shape.nodes(); ++position) {
    const TofuNode node = map.node_at(position);
    ASSERT_TRUE(machine.contains(node)) << text_of(node);
    ASSERT_FALSE(forbidden.contains(node)) << text_of(node);
    ASSERT_TRUE(taken.insert(node).second) << text_of(node);
    const Coordinates at = coordinates_of(shape, position);
    for (int axis = 0; axis < 3; ++axis) {
      Coordinates next = at;
      if (++next.at[axis] == shape.extent[axis]) {
        if (!shape.wraps[axis] || shape.extent[axis] <= 2) continue;
        next.at[axis] = 0;
      }
      ASSERT_TRUE(machine.neighbours(node, map.node_at(node_at(shape, next))))
          << name_of(shape) << position << " along axis " << axis;
    }
  }
}

void expect_laid(const TofuMachine& machine, const Shape& shape,
                 const std::vector<TofuNode>& failed = {}) {
  SCOPED_TRACE(name_of(shape));
  expect_well_laid(machine, TofuMap(machine, shape, failed), failed);
}

std::string error_of(const TofuMachine& machine, const Shape& shape,
                     const std::vector<TofuNode>& failed = {}) {
  try {
    const TofuMap map(machine, shape, failed);
  } catch (const TofuMapError& error) {
    return error.what();
  }
  return "laid";
}

TEST(TofuMap, TheWholeOfK) {
  expect_laid(kK, shape_of(48, 54, 32));
  expect_laid(kK, shape_of(48, 36, 48));
  expect_laid(kK, shape_of(72, 36, 32));
  expect_laid(kK, shape_of(48 * 54, 32, 1));
  expect_laid(kK, shape_of(82'944, 1, 1));
}

TEST(TofuMap, PartsOfK) {
  // [K-MPI]: 9,216 nodes as 48x6x32.
  expect_laid(kK, shape_of(48, 6, 32));
  expect_laid({{24, 2, 16, 2, 3, 2}}, shape_of(48, 6, 32));
  expect_laid(kK, shape_of(8, 6, 8));
  expect_laid({{4, 2, 4, 2, 3, 2}}, shape_of(8, 6, 8));
  expect_laid(kK, shape_of(16, 12, 16));
  expect_laid(kK, shape_of(64, 6, 1));
  expect_laid(kK, shape_of(47, 5, 16, false, false, true));
}

TEST(TofuMap, OddRingsUseTheThreeOfB) {
  expect_laid(kK, shape_of(48, 53, 32));
  expect_laid({{1, 4, 1, 1, 3, 1}}, shape_of(11, 1, 1));
  expect_laid({{1, 1, 1, 1, 3, 1}}, shape_of(3, 1, 1));
  EXPECT_THAT(error_of({{4, 1, 1, 2, 1, 1}}, shape_of(7, 1, 1)), HasSubstr("no wrap-around"));
}

TEST(TofuMap, FailedNodesAreLeftOut) {
  const TofuNode one = {5, 7, 3, 1, 2, 0};
  expect_laid(kK, shape_of(46, 54, 32), {one});
  expect_laid(kK, shape_of(48, 53, 32), {one});
  expect_laid(kK, shape_of(48, 54, 30), {one});
  expect_laid(kK, shape_of(46, 53, 30), {one, {17, 2, 8, 0, 0, 0}, {3, 11, 12, 1, 1, 1}});
  EXPECT_THAT(error_of(kK, shape_of(48, 54, 32), {one}), HasSubstr("82944 nodes are asked for"));
  EXPECT_THAT(error_of({{4, 4, 1, 2, 1, 1}}, shape_of(8, 3, 1, true, false),
                       {{0, 1, 0, 0, 0, 0}, {2, 2, 0, 0, 0, 0}}),
              HasSubstr("cannot all be left out"));
}

TEST(TofuMap, SaysWhyNot) {
  EXPECT_THAT(error_of(kK, shape_of(50, 54, 32)), HasSubstr("86400 nodes are asked for"));
  EXPECT_THAT(error_of(kK, shape_of(82'943, 1, 1), {{0, 0, 0, 0, 0, 0}, {1, 0, 0, 0, 0, 0}}),
              HasSubstr("2 of them failed"));
  EXPECT_THAT(error_of({{4, 4, 1, 1, 1, 1}}, shape_of(5, 3, 1)), HasSubstr("no way to share out"));
  EXPECT_THAT(error_of({{4, 4, 1, 1, 1, 1}}, shape_of(4, 4, 1)), HasSubstr("with 'm'"));
  EXPECT_THAT(error_of(kK, shape_of(8, 6, 8), {{24, 0, 0, 0, 0, 0}}),
              HasSubstr("(24,0,0,0,0,0) is not one of its nodes"));
}

TEST(TofuMap, RandomMachinesShapesAndFailures) {
  const std::uint64_t seed = std::random_device()();
  RecordProperty("seed", std::to_string(seed));
  std::mt19937_64 random(seed);
  auto between = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  int laid = 0;
  for (int round = 0; round < 150; ++round) {
    SCOPED_TRACE(seed);
    const TofuMachine machine{
        {between(1, 6), between(1, 6), between(1, 6), between(1, 2), between(1, 3), between(1, 2)}};
    const Shape shape = shape_of(between(1, 10), between(1, 10), between(1, 6), between(0, 1) == 0,
                                 between(0, 1) == 0, between(0, 1) == 0);
    std::vector<TofuNode> failed;
    for (int i = between(0, 2); i-- > 0;) {
      TofuNode node;
      for (std::size_t axis = 0; axis < kTofuAxes; ++axis) {
        node[axis] = between(0, machine.extent[axis] - 1);
      }
      failed.push_back(node);
    }
    try {
      const TofuMap map(machine, shape, failed);
      expect_well_laid(machine, map, failed);
      ++laid;
    } catch (const TofuMapError& error) {
      EXPECT_THAT(error.what(), HasSubstr("a virtual torus of"));
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(laid, 10);
}

// Ladders small enough to know by hand which lengths have a loop.
TEST(Ladder, LoopsOfEveryLengthOnThreeRungs) {
  for (int columns = 2; columns <= 8; ++columns) {
    const Ladder ladder{columns, 3, false, true, [](int, int) { return false; }};
    for (int length = 3; length <= 3 * columns; ++length) {
      const auto walk = walk_on(ladder, length, true);
      ASSERT_TRUE(walk) << columns << " columns, " << length;
      ASSERT_EQ(static_cast<int>(walk->size()), length);
      for (std::size_t i = 0; i < walk->size(); ++i) {
        const LadderPoint& a = (*walk)[i];
        const LadderPoint& b = (*walk)[(i + 1) % walk->size()];
        const bool same_column = a.column == b.column && a.rung != b.rung;
        const bool next_column = std::abs(a.column - b.column) == 1 && a.rung == b.rung;
        ASSERT_TRUE(same_column || next_column) << columns << " columns, " << length;
        for (std::size_t j = i + 1; j < walk->size(); ++j) ASSERT_FALSE((*walk)[j] == a);
      }
    }
  }
}

TEST(Ladder, KeepsOffBlockedPoints) {
  const Ladder three{5, 3, false, true,
                     [](int column, int rung) { return column == 2 && rung == 1; }};
  const auto walk = walk_on(three, 14, true);
  ASSERT_TRUE(walk);
  for (const LadderPoint& point : *walk) EXPECT_FALSE(point == (LadderPoint{2, 1}));
  EXPECT_FALSE(walk_on(three, 15, true));
  const Ladder two{5, 2, false, false, [](int column, int) { return column == 2; }};
  EXPECT_TRUE(walk_on(two, 4, true));
  EXPECT_FALSE(walk_on(two, 6, true));
}

}  // namespace
}  // namespace mpiactor::inter
