// Graphs in both formats.
#include <sstream>
#include <string>

#include "apps/asp/graph_readers.h"
#include "tests/fuzz/target.h"

using namespace mpiactor;

namespace {

// The largest graph whose path sums are looked at: they take memory for every vertex.
constexpr std::int32_t kMostVertices = 1 << 16;

template <typename Read>
void check(Read read, std::string_view text) {
  std::istringstream in{std::string(text)};
  fuzz::takes<asp::GraphError>([&] {
    const asp::Graph graph = read(in, "graph");
    fuzz::require(graph.vertices >= 1, "a graph has vertices");
    for (const asp::Arc& arc : graph.arcs) {
      fuzz::require(arc.from >= 0 && arc.from < graph.vertices && arc.to >= 0 &&
                        arc.to < graph.vertices && arc.length >= 0 &&
                        arc.length < asp::kUnreachable,
                    "arcs join vertices, by an allowed length");
    }
    if (graph.vertices <= kMostVertices) asp::check_path_sums(graph, "graph");
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  check(asp::read_dimacs, fuzz::text_of(data, bytes));
  check(asp::read_matrix_market, fuzz::text_of(data, bytes));
  return 0;
}
