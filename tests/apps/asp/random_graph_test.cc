// The random road network: the same everywhere, connected, road-like.
#include "apps/asp/random_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boyer_myrvold_planar_test.hpp>
#include <boost/graph/strong_components.hpp>
#include <set>
#include <tuple>
#include <vector>

namespace mpiactor::asp {
namespace {

// FNV-1a over all arcs.
std::uint64_t fingerprint(const Graph& graph) {
  std::uint64_t hash = 14695981039346656037u;
  for (const Arc& arc : graph.arcs) {
    for (const std::int32_t value : {arc.from, arc.to, arc.length}) {
      hash = (hash ^ static_cast<std::uint32_t>(value)) * 1099511628211u;
    }
  }
  return hash;
}

int strong_components_of(const Graph& graph) {
  using Roads = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
  Roads roads(static_cast<std::size_t>(graph.vertices));
  for (const Arc& arc : graph.arcs) {
    boost::add_edge(static_cast<std::size_t>(arc.from), static_cast<std::size_t>(arc.to), roads);
  }
  std::vector<int> component(static_cast<std::size_t>(graph.vertices));
  return boost::strong_components(
      roads,
      boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, roads)));
}

bool is_planar(const Graph& graph) {
  using Roads = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;
  Roads roads(static_cast<std::size_t>(graph.vertices));
  std::set<std::tuple<std::int32_t, std::int32_t>> edges;
  for (const Arc& arc : graph.arcs) {
    if (!edges.emplace(std::min(arc.from, arc.to), std::max(arc.from, arc.to)).second) continue;
    boost::add_edge(static_cast<std::size_t>(arc.from), static_cast<std::size_t>(arc.to), roads);
  }
  return boost::boyer_myrvold_planarity_test(roads);
}

TEST(RandomGraph, SameArgumentsGiveTheSameGraphOnEveryMachine) {
  EXPECT_EQ(random_road_graph(500, 7).arcs, random_road_graph(500, 7).arcs);
  EXPECT_NE(random_road_graph(500, 7).arcs, random_road_graph(500, 8).arcs);
  EXPECT_EQ(fingerprint(random_road_graph(200, 1)), 14073415397930196571u);
}

TEST(RandomGraph, IsStronglyConnectedAndPlanarWithRoadLikeDegree) {
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
    SCOPED_TRACE(seed);
    const Graph graph = random_road_graph(2000, seed);
    EXPECT_EQ(graph.vertices, 2000);
    EXPECT_EQ(strong_components_of(graph), 1);
    EXPECT_TRUE(is_planar(graph));
    const double degree = static_cast<double>(graph.arcs.size()) / graph.vertices;
    EXPECT_GT(degree, 2.4);
    EXPECT_LT(degree, 3.0);
  }
}

TEST(RandomGraph, HasOneWayAndTwoWayRoadsOfPlausibleLength) {
  const Graph graph = random_road_graph(1000, 5);
  std::set<std::tuple<std::int32_t, std::int32_t, Distance>> arcs;
  double sum_m = 0.0;
  for (const Arc& arc : graph.arcs) {
    EXPECT_NE(arc.from, arc.to);
    EXPECT_GE(arc.length, 1);
    EXPECT_TRUE(arcs.emplace(arc.from, arc.to, arc.length).second) << "an arc appears twice";
    sum_m += arc.length;
  }
  const auto one_way = std::count_if(graph.arcs.begin(), graph.arcs.end(), [&](const Arc& arc) {
    return arcs.count({arc.to, arc.from, arc.length}) == 0;
  });
  EXPECT_GT(one_way, 20);
  EXPECT_LT(one_way, 400);
  // Neighbours among one crossing per 100 m x 100 m.
  EXPECT_GT(sum_m / static_cast<double>(graph.arcs.size()), 40.0);
  EXPECT_LT(sum_m / static_cast<double>(graph.arcs.size()), 150.0);
}

TEST(RandomGraph, SmallGraphsAreConnectedToo) {
  for (std::int32_t vertices = 1; vertices <= 40; ++vertices) {
    const Graph graph = random_road_graph(vertices, 3);
    EXPECT_EQ(graph.vertices, vertices);
    EXPECT_EQ(strong_components_of(graph), 1) << vertices << " vertices";
  }
}

TEST(RandomGraph, RefusesSizesOutOfRange) {
  EXPECT_THROW(random_road_graph(0, 1), GraphError);
  EXPECT_THROW(random_road_graph(kMostRandomVertices + 1, 1), GraphError);
}

}  // namespace
}  // namespace mpiactor::asp
