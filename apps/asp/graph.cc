#include "apps/asp/graph.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace mpiactor::asp {

std::int64_t longest_path_bound(const Graph& graph) {
  // Maps, not arrays: the number of vertices is not to be trusted with memory yet.
  std::unordered_map<std::int32_t, Distance> out;
  std::unordered_map<std::int32_t, Distance> in;
  for (const Arc& arc : graph.arcs) {
    if (arc.from == arc.to) continue;
    Distance& from = out[arc.from];
    Distance& to = in[arc.to];
    from = std::max(from, arc.length);
    to = std::max(to, arc.length);
  }
  const auto sum = [](const auto& lengths) {
    std::int64_t total = 0;
    for (const auto& [vertex, length] : lengths) total += length;
    return total;
  };
  return std::min(sum(out), sum(in));
}

void check_path_sums(const Graph& graph, const std::string& name) {
  const std::int64_t bound = longest_path_bound(graph);
  if (bound >= kUnreachable) {
    const auto longest =
        std::max_element(graph.arcs.begin(), graph.arcs.end(),
                         [](const Arc& a, const Arc& b) { return a.length < b.length; });
    throw GraphError(fmt::format(
        "{}: arcs are too long: a path could add up to {}, at most {} is allowed (32-bit "
        "distances); the longest arc, {} -> {}, has length {}; use a coarser unit",
        name, bound, kUnreachable - 1, longest->from + 1, longest->to + 1, longest->length));
  }
  const std::int64_t vertices = std::max<std::int64_t>(graph.vertices, 1);
  if (bound > std::numeric_limits<std::int64_t>::max() / vertices / vertices) {
    throw GraphError(
        fmt::format("{}: {} vertices with paths of up to {} could add up to more than 2^63; use a "
                    "coarser unit",
                    name, graph.vertices, bound));
  }
}

}  // namespace mpiactor::asp
