// Rows of the matrix against Dijkstra's algorithm.
#ifndef MPIACTOR_APPS_ASP_VERIFY_H_
#define MPIACTOR_APPS_ASP_VERIFY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "apps/asp/distance_rows.h"
#include "apps/asp/graph.h"

namespace mpiactor::asp {

// Single-source distances on a graph (Boost.Graph).
class Dijkstra {
 public:
  explicit Dijkstra(const Graph& graph);
  ~Dijkstra();
  // Distances from `source` to all vertices, kUnreachable where there is no path.
  std::vector<Distance> from(std::int32_t source) const;

 private:
  struct Roads;
  std::unique_ptr<Roads> roads_;
};

// `count` different vertices in increasing order, all where `count` >= vertices; the same for the
// same arguments.
std::vector<std::int32_t> draw_sources(std::int32_t vertices, std::int32_t count,
                                       std::uint64_t seed);

struct Mismatches {
  std::int64_t sources = 0;  // whose row is wrong anywhere
  std::string first;         // says where and how the first one is; empty for none
};

// Compares the rows of those `sources` that `rows` holds.
Mismatches compare(const DistanceRows& rows, const Graph& graph,
                   const std::vector<std::int32_t>& sources);

}  // namespace mpiactor::asp

#endif  // MPIACTOR_APPS_ASP_VERIFY_H_
