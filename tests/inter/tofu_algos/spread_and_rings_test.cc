// Doublespread and multi-ring on tori, meshes and what lies between: how far messages go, and what
// the busiest directed link carries.
#include <gtest/gtest.h>

#include <algorithm>

#include "inter/verifier.h"
#include "tests/inter/tofu_algos/shapes.h"

namespace mpiactor::inter {
namespace {

bool is_ring(const Shape& shape, int axis) { return shape.wraps[axis] && shape.extent[axis] > 2; }

int axes_of(const Shape& shape) {
  return static_cast<int>(
      std::count_if(shape.extent, shape.extent + 3, [](int n) { return n > 1; }));
}

int rings_of(const Shape& shape) {
  return is_ring(shape, 0) + is_ring(shape, 1) + is_ring(shape, 2);
}

VerifyReport verified(Collective collective, const char* name, const Shape& shape,
                      std::uint64_t bytes) {
  Scenario scenario;
  scenario.shape = shape;
  scenario.bytes = bytes;
  scenario.segment_bytes = bytes;
  const VerifyReport report = verify_algorithm(*find_algorithm(collective, name), scenario);
  EXPECT_EQ(report.error, "");
  return report;
}

const std::vector<Shape>& mixed_shapes() {
  static const std::vector<Shape> shapes = {
      shape_of(4, 3, 6),
      shape_of(4, 3, 6, false, false, false),
      shape_of(12, 5, 1),
      shape_of(12, 5, 1, false, false, false),
      shape_of(5, 7, 1, true, false, true),
      shape_of(32, 1, 1),
      shape_of(31, 1, 1, false, true, true),
      shape_of(3, 4, 5, false, true, true),
      shape_of(4, 5, 2, true, false, true),
      shape_of(2, 2, 2),
  };
  return shapes;
}

// As many as there are axes on meshes, where no corner has more links; one more for every axis that
// is a ring, up to four.
TEST(MultiRing, Streams) {
  const Algorithm& rings = *find_algorithm(Collective::kAllgather, "multiring3d");
  for (const Shape& shape : all_shapes(4)) {
    const int streams = std::min(4, axes_of(shape) + rings_of(shape));
    EXPECT_EQ(rings.streams(shape), streams) << name_of(shape);
    EXPECT_EQ(verified(Collective::kAllgather, "multiring3d", shape,
                       static_cast<std::uint64_t>(12 * shape.nodes()))
                  .streams,
              streams)
        << name_of(shape);
  }
  EXPECT_EQ(stream_note(rings, shape_of(8, 6, 8)), "");
  EXPECT_EQ(stream_note(rings, shape_of(64, 6, 1)), "");
  EXPECT_EQ(stream_note(rings, shape_of(384, 1, 1)), "2 of 4 streams on this shape");
  EXPECT_EQ(stream_note(rings, shape_of(8, 6, 8, false, false, false)),
            "3 of 4 streams on this shape");
}

TEST(MultiRing, NoHopIsLongerThanTwo) {
  const Algorithm& rings = *find_algorithm(Collective::kAllgather, "multiring3d");
  for (const Shape& shape : mixed_shapes()) {
    for (int node = 0; node < shape.nodes(); ++node) {
      const Plan plan = rings.make_plan(
          {.shape = shape, .bytes = static_cast<std::uint64_t>(12 * shape.nodes()), .node = node});
      const Coordinates here = coordinates_of(shape, node);
      for (const PlanOp& op : plan.ops) {
        const Coordinates there = coordinates_of(shape, op.peer);
        int axis = 0;
        while (here.at[axis] == there.at[axis]) ++axis;
        ASSERT_LE(hops(shape, node, op.peer), is_ring(shape, axis) ? 1 : 2) << name_of(shape);
      }
    }
  }
}

// Parts of a block that go over the links of one axis in one direction.
std::int64_t parts_over(const Shape& shape, int axis, int direction) {
  std::int64_t parts = 0;
  const int streams = std::min(4, axes_of(shape) + rings_of(shape));
  int stream = 0;
  for (int way_direction : {+1, -1}) {
    for (int last : {2, 0, 1}) {
      const bool exists = way_direction > 0 ? shape.extent[last] > 1 : is_ring(shape, last);
      if (!exists || stream++ >= streams) continue;
      if (is_ring(shape, axis) && way_direction != direction) continue;
      std::int64_t held = 1;
      for (int stage = 0, now = (last + 1) % 3; stage < 3; ++stage, now = (now + 1) % 3) {
        if (now == axis) parts += held * (shape.extent[axis] - 1);
        held *= shape.extent[now];
      }
    }
  }
  return parts;
}

TEST(MultiRing, WhatTheBusiestLinkCarries) {
  for (const Shape& shape : mixed_shapes()) {
    const int streams = std::min(4, axes_of(shape) + rings_of(shape));
    const VerifyReport report = verified(Collective::kAllgather, "multiring3d", shape,
                                         static_cast<std::uint64_t>(12 * shape.nodes()));
    std::int64_t most = 0;
    for (int axis = 0; axis < 3; ++axis) {
      most = std::max({most, parts_over(shape, axis, +1), parts_over(shape, axis, -1)});
    }
    EXPECT_EQ(report.links.max_bytes, static_cast<std::uint64_t>(most * 12 / streams))
        << name_of(shape);
    // Forward streams pass over the forward links of all rings, all streams over a line.
    const bool has_line = axes_of(shape) > rings_of(shape);
    EXPECT_EQ(report.links.max_streams, has_line ? streams : axes_of(shape)) << name_of(shape);
  }
}

TEST(MultiRing, AMeshGetsWhatItsCornersCanTakeIn) {
  for (const Shape& mesh :
       {shape_of(5, 4, 5, false, false, false), shape_of(4, 4, 6, false, false, false)}) {
    const auto bytes = static_cast<std::uint64_t>(12 * mesh.nodes());
    const VerifyReport report = verified(Collective::kAllgather, "multiring3d", mesh, bytes);
    EXPECT_GE(report.links.max_bytes, (bytes - 12) / 3);
    EXPECT_LE(report.links.max_bytes, bytes / 3 * 5 / 4) << name_of(mesh);
  }
}

int doublespread_directions(const Shape& shape) {
  int directions = 0;
  for (int extent : shape.extent) directions += std::min(extent - 1, 2);
  return directions;
}

// Offsets of which a link of this axis sees the messages, times the lines that cross it.
std::int64_t blocks_over(const Shape& shape, int axis) {
  const std::int64_t extent = shape.extent[axis];
  const std::int64_t half = extent / 2;
  const std::int64_t along_line =
      shape.wraps[axis] ? half * (half + 1) / 2 : half * (extent - half);
  return along_line * (shape.nodes() / extent);
}

TEST(Doublespread, WhatTheBusiestLinkCarries) {
  for (const Shape& shape : mixed_shapes()) {
    const auto nodes = static_cast<std::uint64_t>(shape.nodes());
    const VerifyReport report =
        verified(Collective::kAlltoall, "doublespread", shape, 6 * nodes * nodes);
    EXPECT_EQ(report.streams, doublespread_directions(shape)) << name_of(shape);
    std::int64_t most = 0;
    for (int axis = 0; axis < 3; ++axis) {
      if (shape.extent[axis] > 1) most = std::max(most, blocks_over(shape, axis));
    }
    EXPECT_EQ(report.links.max_bytes, static_cast<std::uint64_t>(6 * most)) << name_of(shape);
    // On rings no stream runs against its own direction: all but one cross the busiest link. On
    // lines all do, and where an axis of two has but one direction.
    EXPECT_EQ(report.links.max_streams, report.streams - (axes_of(shape) == rings_of(shape)))
        << name_of(shape);
  }
}

TEST(Doublespread, StreamsShareTheNodesOfATorusEqually) {
  for (const Shape& shape : {shape_of(8, 6, 8), shape_of(5, 5, 5), shape_of(4, 6, 8)}) {
    const auto nodes = static_cast<std::uint64_t>(shape.nodes());
    const Plan plan = find_algorithm(Collective::kAlltoall, "doublespread")
                          ->make_plan({.shape = shape, .bytes = nodes * nodes, .node = 3});
    std::int64_t sends[kLinksPerNode] = {};
    for (const PlanOp& op : plan.ops) sends[op.stream] += op.kind == OpKind::kSend;
    const auto [least, most] = std::minmax_element(sends, sends + kLinksPerNode);
    EXPECT_LE(*most - *least, shape.nodes() / 40) << name_of(shape);
  }
}

}  // namespace
}  // namespace mpiactor::inter
