#include "apps/asp/verify.h"

#include <fmt/core.h>

#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <numeric>
#include <random>
#include <utility>

namespace mpiactor::asp {
namespace {

struct Road {
  Distance length = 0;
};

using RoadGraph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, Road>;

RoadGraph road_graph(const Graph& graph) {
  std::vector<std::pair<std::int32_t, std::int32_t>> ends;
  std::vector<Road> roads;
  ends.reserve(graph.arcs.size());
  roads.reserve(graph.arcs.size());
  for (const Arc& arc : graph.arcs) {
    ends.emplace_back(arc.from, arc.to);
    roads.push_back({arc.length});
  }
  return {boost::edges_are_unsorted_multi_pass, ends.begin(), ends.end(), roads.begin(),
          static_cast<std::size_t>(graph.vertices)};
}

std::string shown(Distance distance) {
  return distance == kUnreachable ? "unreachable" : fmt::format("{}", distance);
}

}  // namespace

struct Dijkstra::Roads {
  RoadGraph graph;
};

Dijkstra::Dijkstra(const Graph& graph) : roads_(new Roads{road_graph(graph)}) {}

Dijkstra::~Dijkstra() = default;

std::vector<Distance> Dijkstra::from(std::int32_t source) const {
  std::vector<Distance> distances(boost::num_vertices(roads_->graph));
  boost::dijkstra_shortest_paths(
      roads_->graph, static_cast<RoadGraph::vertex_descriptor>(source),
      boost::weight_map(boost::get(&Road::length, roads_->graph))
          .distance_map(boost::make_iterator_property_map(
              distances.begin(), boost::get(boost::vertex_index, roads_->graph)))
          .distance_inf(kUnreachable));
  return distances;
}

std::vector<std::int32_t> draw_sources(std::int32_t vertices, std::int32_t count,
                                       std::uint64_t seed) {
  std::vector<std::int32_t> all(static_cast<std::size_t>(vertices));
  std::iota(all.begin(), all.end(), 0);
  std::vector<std::int32_t> drawn;
  std::sample(all.begin(), all.end(), std::back_inserter(drawn), count, std::mt19937_64(seed));
  return drawn;
}

Mismatches compare(const DistanceRows& rows, const Graph& graph,
                   const std::vector<std::int32_t>& sources) {
  Mismatches found;
  const Dijkstra dijkstra(graph);
  for (const std::int32_t source : sources) {
    if (source < rows.begin() || source >= rows.end()) continue;
    const std::vector<Distance> expected = dijkstra.from(source);
    const auto [want, have] = std::mismatch(expected.begin(), expected.end(), rows.row(source));
    if (want == expected.end()) continue;
    ++found.sources;
    if (!found.first.empty()) continue;
    found.first = fmt::format("distance {} -> {} is {}, Dijkstra says {}", source + 1,
                              want - expected.begin() + 1, shown(*have), shown(*want));
  }
  return found;
}

}  // namespace mpiactor::asp
