#include "apps/vcc/matrix_writer.h"

#include <fmt/core.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "apps/vcc/npy_header.h"

namespace mpiactor::vcc {

static_assert(std::endian::native == std::endian::little, "the file is written as little-endian");

MatrixWriter::MatrixWriter(const std::string& option, const std::string& path)
    : label_(fmt::format("{} {}", option, path)), file_(path, std::ios::binary | std::ios::trunc) {
  if (!file_) {
    throw std::runtime_error(
        fmt::format("{}: cannot be opened for writing: {}", label_, std::strerror(errno)));
  }
}

void MatrixWriter::begin(std::int32_t variables) {
  row_bytes_ = variables * static_cast<std::streamsize>(sizeof(double));
  const std::string header = npy_header(variables, variables);
  file_.write(header.data(), static_cast<std::streamsize>(header.size()));
}

void MatrixWriter::add(const double* row) {
  file_.write(reinterpret_cast<const char*>(row), row_bytes_);
}

void MatrixWriter::finish() {
  file_.close();
  if (!file_) throw std::runtime_error(fmt::format("{}: writing failed", label_));
}

}  // namespace mpiactor::vcc
