#include "apps/asp/distance_rows.h"

#include <algorithm>

namespace mpiactor::asp {
namespace {

// Entries of a 64-byte cache line.
constexpr std::size_t kLine = 64 / sizeof(Distance);

std::size_t padded(std::int64_t columns) {
  return (static_cast<std::size_t>(columns) + kLine - 1) / kLine * kLine;
}

}  // namespace

DistanceRows::DistanceRows(std::int32_t begin, std::int32_t end, std::int32_t columns)
    : begin_(begin),
      end_(end),
      columns_(columns),
      stride_(padded(columns)),
      entries_(static_cast<std::size_t>(end - begin) * stride_, kUnreachable) {}

DistanceRows DistanceRows::from_graph(const Graph& graph, std::int32_t begin, std::int32_t end) {
  DistanceRows rows(begin, end, graph.vertices);
  for (const Arc& arc : graph.arcs) {
    if (arc.from < begin || arc.from >= end) continue;
    Distance& entry = rows.row(arc.from)[arc.to];
    entry = std::min(entry, arc.length);
  }
  for (std::int32_t vertex = begin; vertex < end; ++vertex) rows.row(vertex)[vertex] = 0;
  return rows;
}

double DistanceRows::bytes(std::int32_t rows, std::int32_t columns) {
  return static_cast<double>(rows) * static_cast<double>(padded(columns) * sizeof(Distance));
}

DistanceSummary summarize(const DistanceRows& rows) {
  DistanceSummary summary;
  for (std::int32_t u = rows.begin(); u < rows.end(); ++u) {
    const Distance* row = rows.row(u);
    for (std::int32_t v = 0; v < rows.columns(); ++v) {
      if (row[v] == kUnreachable) continue;
      ++summary.reachable;
      summary.sum += static_cast<std::uint64_t>(row[v]);
      summary.max = std::max(summary.max, row[v]);
    }
  }
  return summary;
}

}  // namespace mpiactor::asp
