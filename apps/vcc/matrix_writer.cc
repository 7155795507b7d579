#include "apps/vcc/matrix_writer.h"

#include <bit>

#include "apps/vcc/npy_header.h"

namespace mpiactor::vcc {

static_assert(std::endian::native == std::endian::little, "the file is written as little-endian");

void MatrixWriter::begin(std::int32_t variables) {
  row_bytes_ = static_cast<std::size_t>(variables) * sizeof(double);
  file_.write(npy_header(variables, variables));
}

void MatrixWriter::add(const double* row) { file_.write(row, row_bytes_); }

}  // namespace mpiactor::vcc
