#include "sim/placement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "sim/arguments.h"
#include "sim/collective.h"
#include "sim/machine.h"
#include "sim/network.h"

namespace mpiactor::sim {
namespace {

TEST(Placement, WindsThereAndBack) {
  EXPECT_EQ(place_nodes(parse_shape("6"), parse_shape("3x2")),
            (std::vector<std::uint32_t>{0, 1, 2, 5, 4, 3}));
  EXPECT_EQ(place_nodes(parse_shape("2x4"), parse_shape("2x2x2")),
            (std::vector<std::uint32_t>{0, 1, 2, 3, 6, 7, 4, 5}));
}

TEST(Placement, NeighboursStayNeighbours) {
  for (const auto& [shape_text, physical_text] :
       {std::pair("384", "8x6x8"), std::pair("64x6", "8x8x6"), std::pair("3072", "16x12x16"),
        std::pair("48x64", "48x8x8"), std::pair("5x1x7", "5x7"), std::pair("8x6x8", "8x6x8")}) {
    SCOPED_TRACE(std::string(shape_text) + " on " + physical_text);
    const inter::Shape shape = parse_shape(shape_text);
    const inter::Shape physical = parse_shape(physical_text);
    const std::vector<std::uint32_t> places = place_nodes(shape, physical);
    EXPECT_EQ(std::set<std::uint32_t>(places.begin(), places.end()).size(), places.size());
    EXPECT_EQ(*std::max_element(places.begin(), places.end()) + 1, places.size());
    const Topology topology(NetworkKind::kTorus, physical, places);
    std::uint32_t stride = 1;
    for (int axis = 0; axis < 3; ++axis) {
      const auto extent = static_cast<std::uint32_t>(shape.extent[axis]);
      for (std::uint32_t node = 0; node < places.size(); ++node) {
        if (node / stride % extent + 1 < extent) {
          ASSERT_EQ(topology.hops(node, node + stride), 1) << node << " along " << axis;
        }
      }
      stride *= extent;
    }
  }
}

TEST(Placement, ShapesThatDoNotFitAreNamed) {
  for (const auto& [shape, physical] :
       {std::pair("64x6", "8x6x8"), std::pair("384", "8x6x7"), std::pair("8", "16"),
        std::pair("8x2", "8"), std::pair("8", "8x2")}) {
    EXPECT_THROW(place_nodes(parse_shape(shape), parse_shape(physical)), InputError)
        << shape << " on " << physical;
  }
}

// A message from end to end of a mesh line takes 11 hops there, and 1 on the torus under it.
TEST(Placement, RoutesGoOverThePhysicalNetwork) {
  CollectiveInput call;
  call.machine = load_machine("generic");
  call.machine.hop_ps = 1'000'000;
  call.shape = parse_shape("12m");
  call.algorithm = parse_algorithm(inter::Collective::kBcast, "linear", call.shape);
  call.bytes = 1;
  const CollectiveResult line = run_collective(call);
  call.physical = parse_shape("3x4");
  const CollectiveResult folded = run_collective(call);
  EXPECT_EQ(line.exits[11] - folded.exits[11], 10'000'000u);
}

}  // namespace
}  // namespace mpiactor::sim
