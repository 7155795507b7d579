#include <fmt/core.h>

#include <algorithm>

#include "apps/asp/graph_readers.h"
#include "apps/asp/line_reader.h"

namespace mpiactor::asp {
namespace {

// No announced count may make the reader take memory that the file does not back.
constexpr std::int64_t kMostReserved = 1 << 20;

void read_problem(const LineReader& reader, Graph& graph, std::int64_t& announced_arcs) {
  const auto& fields = reader.fields();
  if (fields.size() != 4 || fields[1] != "sp") {
    reader.fail(fmt::format("'{}' is not 'p sp VERTICES ARCS'", reader.line()));
  }
  const std::int64_t vertices = reader.count(2, "number of vertices");
  if (vertices < 1) reader.fail("number of vertices 0 is out of range: at least 1");
  graph.vertices = static_cast<std::int32_t>(vertices);
  announced_arcs = reader.count(3, "number of arcs");
  graph.arcs.reserve(static_cast<std::size_t>(std::min(announced_arcs, kMostReserved)));
}

Arc read_arc(const LineReader& reader, std::int32_t vertices) {
  if (reader.fields().size() != 4) {
    reader.fail(fmt::format("'{}' is not 'a FROM TO LENGTH'", reader.line()));
  }
  return {reader.vertex(1, vertices), reader.vertex(2, vertices), reader.length(3)};
}

}  // namespace

Graph read_dimacs(std::istream& input, const std::string& name) {
  LineReader reader(input, name);
  Graph graph;
  std::int64_t announced_arcs = -1;  // until the 'p' line
  while (reader.next()) {
    const auto& fields = reader.fields();
    if (fields.empty() || fields[0] == "c") continue;
    if (fields[0] == "p") {
      if (announced_arcs >= 0) reader.fail("second 'p' line; allowed is one");
      read_problem(reader, graph, announced_arcs);
    } else if (fields[0] == "a") {
      if (announced_arcs < 0) reader.fail("arc before the 'p sp VERTICES ARCS' line");
      if (static_cast<std::int64_t>(graph.arcs.size()) == announced_arcs) {
        reader.fail(fmt::format("more arcs than the {} announced on the 'p' line", announced_arcs));
      }
      graph.arcs.push_back(read_arc(reader, graph.vertices));
    } else {
      reader.fail(fmt::format("'{}' is not a line of a .gr file: they start with c, p or a",
                              reader.line()));
    }
  }
  if (announced_arcs < 0) reader.fail("no 'p sp VERTICES ARCS' line up to the end of the file");
  if (static_cast<std::int64_t>(graph.arcs.size()) != announced_arcs) {
    reader.fail(fmt::format("the file ends after {} arcs, the 'p' line announces {}",
                            graph.arcs.size(), announced_arcs));
  }
  return graph;
}

}  // namespace mpiactor::asp
