#include "apps/asp/random_graph.h"

#include <fmt/core.h>

#include <algorithm>
#include <boost/polygon/point_data.hpp>
#include <boost/polygon/voronoi.hpp>
#include <cmath>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace mpiactor::asp {
namespace {

using Point = boost::polygon::point_data<std::int32_t>;
using Edge = std::pair<std::int32_t, std::int32_t>;  // first < second

// 0 .. below - 1. Not std::uniform_int_distribution: its results differ between libraries.
std::uint64_t draw(std::mt19937_64& random, std::uint64_t below) { return random() % below; }

const Point& at(const std::vector<Point>& points, std::int32_t vertex) {
  return points[static_cast<std::size_t>(vertex)];
}

std::int64_t square(std::int64_t value) { return value * value; }

std::int64_t squared_distance(const Point& a, const Point& b) {
  return square(std::int64_t{a.x()} - b.x()) + square(std::int64_t{a.y()} - b.y());
}

std::vector<Point> distinct_points(std::int32_t vertices, std::mt19937_64& random) {
  const auto side_m = static_cast<std::uint64_t>(std::ceil(100.0 * std::sqrt(vertices)));
  std::set<Point> taken;
  std::vector<Point> points;
  while (points.size() < static_cast<std::size_t>(vertices)) {
    const auto x = static_cast<std::int32_t>(draw(random, side_m));
    const auto y = static_cast<std::int32_t>(draw(random, side_m));
    if (taken.emplace(x, y).second) points.emplace_back(x, y);
  }
  return points;
}

// Edges between crossings whose Voronoi cells share a side, sorted.
std::vector<Edge> delaunay_edges(const std::vector<Point>& points) {
  boost::polygon::voronoi_diagram<double> diagram;
  boost::polygon::construct_voronoi(points.begin(), points.end(), &diagram);
  std::vector<Edge> edges;
  for (const auto& side : diagram.edges()) {
    const auto a = static_cast<std::int32_t>(side.cell()->source_index());
    const auto b = static_cast<std::int32_t>(side.twin()->cell()->source_index());
    if (a < b) edges.emplace_back(a, b);
  }
  std::sort(edges.begin(), edges.end());
  return edges;
}

enum class Closeness { kRelativeNeighbours, kGabriel, kNeither };

// Answers how close two crossings are compared with all others. A point that spoils an edge of
// squared length L is less than sqrt(L) from both ends, so only a strip in x needs a look.
class Neighbourhood {
 public:
  explicit Neighbourhood(const std::vector<Point>& points) : by_x_(points) {
    std::sort(by_x_.begin(), by_x_.end());
  }

  Closeness closeness(const Point& a, const Point& b) const {
    const std::int64_t length2 = squared_distance(a, b);
    const double reach = std::sqrt(static_cast<double>(length2)) + 1.0;
    const double left = std::max(a.x(), b.x()) - reach;
    const double right = std::min(a.x(), b.x()) + reach;
    auto it = std::lower_bound(by_x_.begin(), by_x_.end(), left,
                               [](const Point& p, double x) { return p.x() < x; });
    Closeness found = Closeness::kRelativeNeighbours;
    for (; it != by_x_.end() && it->x() <= right; ++it) {
      const std::int64_t from_a2 = squared_distance(*it, a);
      const std::int64_t from_b2 = squared_distance(*it, b);
      if (from_a2 == 0 || from_b2 == 0) continue;  // an end of the edge itself
      if (from_a2 + from_b2 < length2) return Closeness::kNeither;
      if (std::max(from_a2, from_b2) < length2) found = Closeness::kGabriel;
    }
    return found;
  }

 private:
  std::vector<Point> by_x_;
};

Distance road_length(const Point& a, const Point& b, std::mt19937_64& random) {
  const double winding = 1.0 + static_cast<double>(draw(random, 1001)) / 4000.0;
  const double metres = std::sqrt(static_cast<double>(squared_distance(a, b))) * winding;
  return static_cast<Distance>(std::ceil(metres));
}

}  // namespace

Graph random_road_graph(std::int32_t vertices, std::uint64_t seed) {
  if (vertices < 1 || vertices > kMostRandomVertices) {
    throw GraphError(fmt::format("random graph: {} vertices are out of range: 1 .. {}", vertices,
                                 kMostRandomVertices));
  }
  std::mt19937_64 random(seed);
  const std::vector<Point> points = distinct_points(vertices, random);
  const Neighbourhood neighbourhood(points);
  Graph graph;
  graph.vertices = vertices;
  if (vertices < 2) return graph;
  for (const auto& [a, b] : delaunay_edges(points)) {
    const Closeness closeness = neighbourhood.closeness(at(points, a), at(points, b));
    if (closeness == Closeness::kNeither) continue;
    const Distance length = road_length(at(points, a), at(points, b), random);
    if (closeness == Closeness::kRelativeNeighbours) {
      graph.arcs.push_back({a, b, length});
      graph.arcs.push_back({b, a, length});
    } else if (const std::uint64_t choice = draw(random, 8); choice < 2) {
      graph.arcs.push_back(choice == 0 ? Arc{a, b, length} : Arc{b, a, length});
    }
  }
  return graph;
}

}  // namespace mpiactor::asp
