#include "apps/asp/matrix_file.h"

#include <bit>

namespace mpiactor::asp {

static_assert(std::endian::native == std::endian::little, "the file format is little-endian");

void MatrixWriter::begin(const Graph& graph) {
  MatrixHeader header;
  header.vertices = graph.vertices;
  header.arcs = static_cast<std::int64_t>(graph.arcs.size());
  row_bytes_ = static_cast<std::size_t>(graph.vertices) * sizeof(Distance);
  file_.write(&header, sizeof(header));
}

void MatrixWriter::add(const Distance* row) { file_.write(row, row_bytes_); }

}  // namespace mpiactor::asp
