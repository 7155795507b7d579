// A planar graph that looks like a road network.
#ifndef MPIACTOR_APPS_ASP_RANDOM_GRAPH_H_
#define MPIACTOR_APPS_ASP_RANDOM_GRAPH_H_

#include <cstdint>

#include "apps/asp/graph.h"

namespace mpiactor::asp {

// Most vertices that `random_road_graph` makes.
inline constexpr std::int32_t kMostRandomVertices = 200'000;

// `vertices` (1 .. kMostRandomVertices) crossings at random whole-metre positions in a square, on
// average one per 100 m x 100 m. Two-way roads are the edges of the relative neighbourhood graph
// of the crossings (planar, connected, 2.5 roads a crossing); one in four of the further edges of
// their Gabriel graph (still planar) is a one-way road in a random direction. Lengths are in
// metres: the straight distance times a winding factor between 1 and 1.25, rounded up. The graph
// is strongly connected. The same arguments give the same graph on every machine.
Graph random_road_graph(std::int32_t vertices, std::uint64_t seed);

}  // namespace mpiactor::asp

#endif  // MPIACTOR_APPS_ASP_RANDOM_GRAPH_H_
