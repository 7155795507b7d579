// The torus algorithms under the verifier: shapes with odd, even and missing dimensions, with and
// without wrap-around, any root; and the properties that the papers state.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "inter/cost_model.h"
#include "inter/verifier.h"
#include "tests/inter/tofu_algos/shapes.h"

namespace mpiactor::inter {
namespace {

constexpr const char* kTorusAlgorithms[] = {"pipeline", "trinaryx3", "trinaryx6", "bintree3d",
                                            "bintree6d"};

const Algorithm& bcast(const char* name) { return *find_algorithm(Collective::kBcast, name); }

VerifyReport verified(const char* name, const Shape& shape, int root, std::uint64_t bytes = 6'000,
                      std::uint64_t segment_bytes = 6'000) {
  Scenario scenario;
  scenario.shape = shape;
  scenario.root_node = root;
  scenario.bytes = bytes;
  scenario.segment_bytes = segment_bytes;
  const VerifyReport report = verify_algorithm(bcast(name), scenario);
  EXPECT_EQ(report.error, "");
  return report;
}

TEST(BcastTorus, RandomShapesRootsAndSizes) {
  const std::uint64_t seed = std::random_device()();
  fmt::print("seed {}\n", seed);
  std::mt19937_64 random(seed);
  auto between = [&](std::uint64_t low, std::uint64_t high) {
    return std::uniform_int_distribution<std::uint64_t>(low, high)(random);
  };
  for (int round = 0; round < 400; ++round) {
    Scenario scenario;
    for (int axis = 0; axis < 3; ++axis) {
      scenario.shape.extent[axis] = static_cast<int>(between(1, 6));
      scenario.shape.wraps[axis] = between(0, 2) > 0;
    }
    scenario.root_node =
        static_cast<int>(between(0, static_cast<std::uint64_t>(scenario.shape.nodes() - 1)));
    const std::uint64_t tops[] = {5, 100, 1 << 20};
    scenario.bytes = between(1, tops[between(0, 2)]);
    scenario.segment_bytes = std::max<std::uint64_t>(1, scenario.bytes / between(1, 12));
    scenario.segments_in_flight = static_cast<int>(between(1, 3));
    scenario.granule_bytes = between(0, 3) == 0 ? 8 : 1;
    scenario.seed = random();
    for (const char* name : kTorusAlgorithms) {
      const VerifyReport report = verify_algorithm(bcast(name), scenario);
      ASSERT_EQ(report.error, "") << "seed " << seed;
    }
  }
}

TEST(BcastTorus, TrinaryAndPipelineNeverShareALink) {
  for (const Shape& shape :
       {shape_of(8, 6, 8), shape_of(64, 6, 1), shape_of(384, 1, 1),
        shape_of(5, 4, 3, true, false, true), shape_of(4, 5, 6, false, false, false),
        shape_of(7, 2, 3), shape_of(16, 12, 16)}) {
    const int root = static_cast<int>(shape.nodes() / 3);
    for (const char* name : {"pipeline", "trinaryx3", "trinaryx6"}) {
      const VerifyReport report = verified(name, shape, root);
      EXPECT_TRUE(report.links.disjoint()) << name << " " << name_of(shape);
      EXPECT_EQ(report.links.max_streams, 1) << name << " " << name_of(shape);
      EXPECT_EQ(report.streams, bcast(name).streams(shape)) << name << " " << name_of(shape);
    }
  }
}

TEST(BcastTorus, TrinaryUsesAllLinksOfATorus) {
  const Shape shape = shape_of(8, 6, 8);
  const VerifyReport three = verified("trinaryx3", shape, 5);
  EXPECT_EQ(three.depth, 8 + 6 + 8 - 2);
  EXPECT_EQ(three.links.max_bytes, 2'000u);
  EXPECT_EQ(three.links.links_used, 3 * (384 - 1));
  const VerifyReport six = verified("trinaryx6", shape, 5);
  EXPECT_EQ(six.depth, 8 + 6 + 8 - 3);
  EXPECT_EQ(six.links.max_bytes, 1'000u);
  EXPECT_EQ(six.links.links_used, 6 * (384 - 1));  // all but those into the root
}

TEST(BcastTorus, BintreeDepth) {
  for (const Shape& shape : all_shapes(5)) {
    const int root = static_cast<int>(shape.nodes() / 2);
    EXPECT_EQ(verified("bintree3d", shape, root).depth, log_depth(shape)) << name_of(shape);
    EXPECT_EQ(verified("bintree6d", shape, root).depth, log_depth(shape)) << name_of(shape);
  }
  const Shape fugaku = shape_of(16, 12, 16);
  EXPECT_EQ(verified("bintree3d", fugaku, 99).depth, 4 + 3 + 4);
  EXPECT_EQ(verified("bintree6d", fugaku, 99).depth, 4 + 3 + 4);
}

// What docs/algorithms.md states of the links: edges of a ring's tree lie over one another at every
// second level.
TEST(BcastTorus, BintreeLinkLoadOnTori) {
  for (int extent = 2; extent <= 200; ++extent) {
    const VerifyReport line = verified("bintree3d", shape_of(extent, 1, 1), extent / 3);
    EXPECT_EQ(line.links.max_transfers, bintree_link_load(extent)) << extent;
  }
  for (const Shape& shape :
       {shape_of(8, 6, 8), shape_of(64, 6, 1), shape_of(384, 1, 1), shape_of(5, 7, 3)}) {
    int line_load = 1;
    for (int extent : shape.extent) line_load = std::max(line_load, bintree_link_load(extent));
    const VerifyReport one = verified("bintree3d", shape, 1);
    EXPECT_EQ(one.links.max_streams, 1);
    EXPECT_EQ(one.links.max_transfers, line_load) << name_of(shape);
    const VerifyReport six = verified("bintree6d", shape, 1);
    EXPECT_EQ(six.streams, bcast("bintree6d").streams(shape));
    EXPECT_LE(six.links.max_streams, six.streams) << name_of(shape);
    EXPECT_LE(six.links.max_bytes, one.links.max_bytes) << name_of(shape);
  }
}

TEST(BcastTorus, NotesSayWhereAShapeCarriesLess) {
  EXPECT_EQ(stream_note(bcast("trinaryx6"), shape_of(8, 6, 8)), "");
  EXPECT_EQ(stream_note(bcast("trinaryx3"), shape_of(8, 6, 8)), "");
  EXPECT_EQ(stream_note(bcast("trinaryx6"), shape_of(64, 6, 1)), "4 of 6 streams on this shape");
  EXPECT_EQ(stream_note(bcast("trinaryx6"), shape_of(8, 6, 2)), "5 of 6 streams on this shape");
  EXPECT_EQ(stream_note(bcast("trinaryx6"), shape_of(8, 6, 8, true, false, true)),
            "5 of 6 streams on this shape");
  EXPECT_EQ(stream_note(bcast("trinaryx3"), shape_of(384, 1, 1)), "1 of 3 streams on this shape");
  EXPECT_EQ(stream_note(bcast("binomial"), shape_of(384, 1, 1)), "");
}

TEST(BcastTorus, PlansOfTheWholeOfKAreSmallAndQuick) {
  const Shape shape = shape_of(48, 36, 48);
  for (const char* name : kTorusAlgorithms) {
    std::size_t most = 0;
    for (int node = 0; node < shape.nodes(); node += 11) {
      const Plan plan =
          bcast(name).make_plan({.shape = shape, .root_node = 777, .bytes = 1 << 24, .node = node});
      most = std::max(most, plan.ops.size());
    }
    EXPECT_LE(most, 6u + 36u) << name;
  }
}

TEST(BcastTorus, TrinaryOnTheWholeOfK) {
  const VerifyReport report = verified("trinaryx3", shape_of(48, 36, 48), 40'000, 1 << 24, 1 << 24);
  EXPECT_EQ(report.depth, 48 + 36 + 48 - 2);
  EXPECT_TRUE(report.links.disjoint());
}

}  // namespace
}  // namespace mpiactor::inter
