// Link-disjointness, span, depth and out-degree of the trees, on every small shape from every root.
#include "inter/tofu_algos/link_trees.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/inter/tofu_algos/shapes.h"

namespace mpiactor::inter {
namespace {

struct Properties {
  bool spanning = true;    // every node reaches the root by parents
  bool neighbours = true;  // every edge is one hop
  bool disjoint = true;    // no directed link twice
  bool consistent = true;  // children() is parent() turned round
  int depth = 0;
  int out_degree = 0;   // of a node, over all trees
  int first_steps = 0;  // distinct links that leave the root
};

Properties examine(const Shape& shape, const LinkTrees& trees, int root) {
  Properties found;
  const int nodes = static_cast<int>(shape.nodes());
  const auto count = static_cast<std::size_t>(nodes);
  std::vector<bool> link_used(count * count, false);
  std::vector<int> out_degree(count, 0);
  for (int tree = 0; tree < trees.count(); ++tree) {
    std::size_t edges = 0;
    for (int node = 0; node < nodes; ++node) {
      for (int child : trees.children(tree, node)) {
        found.consistent = found.consistent && trees.parent(tree, child) == node;
        ++edges;
      }
      if (node == root) continue;
      const int parent = trees.parent(tree, node);
      found.neighbours = found.neighbours && hops(shape, parent, node) == 1;
      const std::size_t link =
          static_cast<std::size_t>(parent) * count + static_cast<std::size_t>(node);
      found.disjoint = found.disjoint && !link_used[link];
      link_used[link] = true;
      found.first_steps += parent == root;
      ++out_degree[static_cast<std::size_t>(parent)];
      int depth = 0;
      for (int at = node; at != root && depth <= nodes; at = trees.parent(tree, at)) ++depth;
      found.spanning = found.spanning && depth <= nodes;
      found.depth = std::max(found.depth, depth);
    }
    found.consistent = found.consistent && edges == static_cast<std::size_t>(nodes - 1);
  }
  found.out_degree = *std::max_element(out_degree.begin(), out_degree.end());
  return found;
}

int axes_longer_than_one(const Shape& shape) {
  return static_cast<int>(
      std::count_if(shape.extent, shape.extent + 3, [](int n) { return n > 1; }));
}

int rings(const Shape& shape) {
  int count = 0;
  for (int axis = 0; axis < 3; ++axis) count += shape.wraps[axis] && shape.extent[axis] > 2;
  return count;
}

void expect_trees(const Properties& found, const Shape& shape, int root) {
  EXPECT_TRUE(found.spanning && found.neighbours && found.disjoint && found.consistent)
      << name_of(shape) << "root " << root << ": spanning " << found.spanning << ", neighbours "
      << found.neighbours << ", disjoint " << found.disjoint << ", consistent " << found.consistent;
}

TEST(LinkTrees, ForwardOnEverySmallShape) {
  for (const Shape& shape : all_shapes(5)) {
    // Every root of the smaller shapes, every seventh of the larger.
    const int step = shape.nodes() > 48 ? 7 : 1;
    for (int root = 0; root < shape.nodes(); root += step) {
      const LinkTrees trees = LinkTrees::forward(shape, root);
      ASSERT_EQ(trees.count(), axes_longer_than_one(shape));
      const Properties found = examine(shape, trees, root);
      expect_trees(found, shape, root);
      EXPECT_LE(found.depth, longest_way(shape) + 2) << name_of(shape) << root;
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(LinkTrees, AllOnEverySmallShape) {
  for (const Shape& shape : all_shapes(5)) {
    // Every root of the smaller shapes, every seventh of the larger.
    const int step = shape.nodes() > 48 ? 7 : 1;
    for (int root = 0; root < shape.nodes(); root += step) {
      const LinkTrees trees = LinkTrees::all(shape, root);
      ASSERT_EQ(trees.count(), axes_longer_than_one(shape) + rings(shape));
      const Properties found = examine(shape, trees, root);
      expect_trees(found, shape, root);
      EXPECT_LE(found.depth, longest_way(shape) + 2) << name_of(shape) << root;
      if (testing::Test::HasFailure()) return;
    }
  }
}

// No plan can have more trees than there are ways into the worst-placed node.
TEST(LinkTrees, NoShapeCarriesMore) {
  for (const Shape& shape : all_shapes(4)) {
    if (shape.nodes() == 1) continue;
    int fewest = 6;
    for (int node = 1; node < shape.nodes(); ++node) {
      int ways_in = 0;
      for (int other = 0; other < shape.nodes(); ++other) {
        ways_in += other != node && hops(shape, other, node) == 1;
      }
      fewest = std::min(fewest, ways_in);
    }
    EXPECT_EQ(all_tree_count(shape), fewest) << name_of(shape);
  }
}

TEST(LinkTrees, DepthAndDegreeOnTori) {
  for (const auto& [x, y, z] : {std::tuple(8, 6, 8), {16, 12, 16}, {5, 7, 9}, {4, 4, 4}}) {
    const Shape shape = shape_of(x, y, z);
    const Properties three = examine(shape, LinkTrees::forward(shape, 17), 17);
    expect_trees(three, shape, 17);
    EXPECT_EQ(three.depth, x + y + z - 2);
    EXPECT_EQ(three.out_degree, 4);
    EXPECT_EQ(three.first_steps, 3);
    const Properties six = examine(shape, LinkTrees::all(shape, 17), 17);
    expect_trees(six, shape, 17);
    EXPECT_EQ(six.depth, x + y + z - 3);
    EXPECT_EQ(six.out_degree, 6);
    EXPECT_EQ(six.first_steps, 6);  // one in each of +-x, +-y, +-z
  }
}

// Four interfaces then keep all three trees going.
TEST(LinkTrees, NoNodeOfAMeshSendsOnMoreThanFourLinksFromACorner) {
  for (const Shape& shape : all_shapes(6)) {
    if (axes_longer_than_one(shape) < 3 || rings(shape) > 0) continue;
    for (const bool upper : {false, true}) {
      const int root = upper ? static_cast<int>(shape.nodes()) - 1 : 0;
      EXPECT_LE(examine(shape, LinkTrees::forward(shape, root), root).out_degree, 4)
          << name_of(shape) << root;
    }
  }
}

TEST(LinkTrees, OneAndTwoDimensions) {
  const Shape line = shape_of(384, 1, 1);
  EXPECT_EQ(LinkTrees::forward(line, 3).count(), 1);
  EXPECT_EQ(LinkTrees::all(line, 3).count(), 2);
  EXPECT_EQ(examine(line, LinkTrees::all(line, 3), 3).depth, 383);
  const Shape sheet = shape_of(64, 6, 1);
  EXPECT_EQ(LinkTrees::forward(sheet, 100).count(), 2);
  EXPECT_EQ(LinkTrees::all(sheet, 100).count(), 4);
  EXPECT_EQ(examine(sheet, LinkTrees::forward(sheet, 100), 100).depth, 64 + 6 - 1);
  const Shape mesh = shape_of(384, 1, 1, false);
  EXPECT_EQ(LinkTrees::all(mesh, 100).count(), 1);
  EXPECT_EQ(examine(mesh, LinkTrees::all(mesh, 100), 100).depth, 283);
}

// The parent function is all there is: no tree is ever stored.
TEST(LinkTrees, PlacesOnTheWholeOfK) {
  const Shape shape = shape_of(48, 36, 48);
  const int root = 12'345;
  const LinkTrees trees = LinkTrees::all(shape, root);
  for (int tree = 0; tree < trees.count(); ++tree) {
    for (int node = 0; node < shape.nodes(); node += 997) {
      if (node == root) continue;
      const std::vector<int> siblings = trees.children(tree, trees.parent(tree, node));
      EXPECT_EQ(std::count(siblings.begin(), siblings.end(), node), 1);
    }
  }
}

}  // namespace
}  // namespace mpiactor::inter
