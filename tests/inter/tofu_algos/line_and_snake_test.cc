#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "inter/tofu_algos/line_tree.h"
#include "inter/tofu_algos/snake.h"
#include "tests/inter/tofu_algos/shapes.h"

namespace mpiactor::inter {
namespace {

using testing::ElementsAre;

int floor_log2(int value) {
  int log = 0;
  while (value > 1) {
    value /= 2;
    ++log;
  }
  return log;
}

TEST(LineTree, EightByHand) {
  EXPECT_THAT(line_place(0, 8).children, ElementsAre(2, 6));
  EXPECT_THAT(line_place(2, 8).children, ElementsAre(1, 3));
  EXPECT_THAT(line_place(3, 8).children, ElementsAre(4));
  EXPECT_THAT(line_place(6, 8).children, ElementsAre(5, 7));
  EXPECT_THAT(line_place(4, 8).children, ElementsAre());
  EXPECT_EQ(line_place(0, 8).parent, -1);
  EXPECT_EQ(line_place(4, 8).parent, 3);
  EXPECT_EQ(line_place(7, 8).parent, 6);
}

TEST(LineTree, DepthIsTheLogarithmAndParentsMatchChildren) {
  for (int extent = 1; extent <= 300; ++extent) {
    int deepest = 0;
    int edges = 0;
    for (int position = 0; position < extent; ++position) {
      const LinePlace place = line_place(position, extent);
      ASSERT_LE(place.children.size(), 2u);
      for (int child : place.children) {
        EXPECT_EQ(line_place(child, extent).parent, position);
        ++edges;
      }
      int depth = 0;
      for (int at = position; at != 0; at = line_place(at, extent).parent) ++depth;
      deepest = std::max(deepest, depth);
    }
    EXPECT_EQ(edges, extent - 1);
    EXPECT_EQ(deepest, floor_log2(extent)) << extent;
  }
}

TEST(Snake, StepsAreSingleHopsOnEveryShape) {
  for (const Shape& shape : all_shapes(4)) {
    const int nodes = static_cast<int>(shape.nodes());
    for (int root = 0; root < nodes; ++root) {
      const Snake snake(shape, root);
      for (int position = 0; position < nodes; ++position) {
        const int node = snake.node_at_position(position);
        ASSERT_EQ(snake.position_of(node), position) << name_of(shape) << root;
        if (position > 0) {
          ASSERT_EQ(hops(shape, snake.node_at_position(position - 1), node), 1)
              << name_of(shape) << root;
        }
      }
      const bool torus = shape.wraps[0] && shape.wraps[1] && shape.wraps[2];
      if (torus) {
        EXPECT_EQ(snake.position_of(root), 0);
      }
    }
  }
}

TEST(Snake, TwoByThreeByHand) {
  const Snake snake(shape_of(2, 3, 1, false, false, false), 0);
  std::vector<int> path;
  for (int position = 0; position < 6; ++position) path.push_back(snake.node_at_position(position));
  EXPECT_THAT(path, ElementsAre(0, 1, 3, 2, 4, 5));
}

}  // namespace
}  // namespace mpiactor::inter
