#include <fmt/core.h>

#include <algorithm>
#include <boost/algorithm/string/predicate.hpp>

#include "apps/asp/graph_readers.h"
#include "apps/asp/line_reader.h"

namespace mpiactor::asp {
namespace {

constexpr std::int64_t kMostReserved = 1 << 20;

enum class Field { kInteger, kReal, kPattern };

struct Banner {
  Field field = Field::kInteger;
  bool symmetric = false;
};

Banner read_banner(const LineReader& reader) {
  using boost::algorithm::iequals;
  const auto& words = reader.fields();
  if (words.size() != 5 || words[0] != "%%MatrixMarket") {
    reader.fail("the first line is not '%%MatrixMarket matrix coordinate FIELD SYMMETRY'");
  }
  if (!iequals(words[1], "matrix") || !iequals(words[2], "coordinate")) {
    reader.fail(fmt::format("'{} {}' is not supported; allowed is 'matrix coordinate'", words[1],
                            words[2]));
  }
  Banner banner;
  if (iequals(words[3], "integer")) {
    banner.field = Field::kInteger;
  } else if (iequals(words[3], "real")) {
    banner.field = Field::kReal;
  } else if (iequals(words[3], "pattern")) {
    banner.field = Field::kPattern;
  } else {
    reader.fail(fmt::format("field '{}' is not supported; allowed are integer, real and pattern",
                            words[3]));
  }
  banner.symmetric = iequals(words[4], "symmetric");
  if (!banner.symmetric && !iequals(words[4], "general")) {
    reader.fail(
        fmt::format("symmetry '{}' is not supported; allowed are general and symmetric", words[4]));
  }
  return banner;
}

// Sets the graph's vertices and returns the announced entries.
std::int64_t read_sizes(const LineReader& reader, Graph& graph) {
  if (reader.fields().size() != 3) {
    reader.fail(fmt::format("'{}' is not 'ROWS COLUMNS ENTRIES'", reader.line()));
  }
  const std::int64_t rows = reader.count(0, "number of rows");
  const std::int64_t columns = reader.count(1, "number of columns");
  if (rows != columns || rows < 1) {
    reader.fail(
        fmt::format("a {} x {} matrix is no graph: rows and columns must be equal and at "
                    "least 1",
                    rows, columns));
  }
  graph.vertices = static_cast<std::int32_t>(rows);
  const std::int64_t entries = reader.count(2, "number of entries");
  graph.arcs.reserve(static_cast<std::size_t>(std::min(entries, kMostReserved)));
  return entries;
}

void read_entry(const LineReader& reader, const Banner& banner, Graph& graph) {
  const bool pattern = banner.field == Field::kPattern;
  if (reader.fields().size() != (pattern ? 2u : 3u)) {
    reader.fail(fmt::format("'{}' is not '{}'", reader.line(),
                            pattern ? "ROW COLUMN" : "ROW COLUMN VALUE"));
  }
  Arc arc{reader.vertex(0, graph.vertices), reader.vertex(1, graph.vertices), 1};
  if (banner.field == Field::kInteger) arc.length = reader.length(2);
  if (banner.field == Field::kReal) arc.length = reader.real_length(2);
  graph.arcs.push_back(arc);
  if (!banner.symmetric) return;
  if (arc.to > arc.from) {
    reader.fail(fmt::format("entry ({}, {}) lies above the diagonal of a symmetric matrix",
                            arc.from + 1, arc.to + 1));
  }
  if (arc.to != arc.from) graph.arcs.push_back({arc.to, arc.from, arc.length});
}

}  // namespace

Graph read_matrix_market(std::istream& input, const std::string& name) {
  LineReader reader(input, name);
  if (!reader.next()) throw GraphError(fmt::format("{}: the file is empty", name));
  const Banner banner = read_banner(reader);
  Graph graph;
  std::int64_t announced = -1;  // until the line of sizes
  std::int64_t entries = 0;
  while (reader.next()) {
    if (reader.fields().empty() || reader.fields()[0].front() == '%') continue;
    if (announced < 0) {
      announced = read_sizes(reader, graph);
      continue;
    }
    if (entries == announced)
      reader.fail(fmt::format("more entries than the {} announced", entries));
    read_entry(reader, banner, graph);
    ++entries;
  }
  if (announced < 0) reader.fail("no 'ROWS COLUMNS ENTRIES' line up to the end of the file");
  if (entries != announced) {
    reader.fail(
        fmt::format("the file ends after {} entries, {} are announced", entries, announced));
  }
  return graph;
}

}  // namespace mpiactor::asp
