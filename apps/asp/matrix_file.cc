#include "apps/asp/matrix_file.h"

#include <fmt/core.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace mpiactor::asp {

static_assert(std::endian::native == std::endian::little, "the file format is little-endian");

MatrixWriter::MatrixWriter(const std::string& path)
    : path_(path), file_(path, std::ios::binary | std::ios::trunc) {
  if (!file_) {
    throw std::runtime_error(
        fmt::format("--out {}: cannot be opened for writing: {}", path, std::strerror(errno)));
  }
}

void MatrixWriter::begin(const Graph& graph) {
  MatrixHeader header;
  header.vertices = graph.vertices;
  header.arcs = static_cast<std::int64_t>(graph.arcs.size());
  row_bytes_ = graph.vertices * static_cast<std::streamsize>(sizeof(Distance));
  file_.write(reinterpret_cast<const char*>(&header), sizeof(header));
}

void MatrixWriter::add(const Distance* row) {
  file_.write(reinterpret_cast<const char*>(row), row_bytes_);
}

void MatrixWriter::finish() {
  file_.close();
  if (!file_) throw std::runtime_error(fmt::format("--out {}: writing failed", path_));
}

}  // namespace mpiactor::asp
