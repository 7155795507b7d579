// A square matrix as a NumPy file.
#ifndef MPIACTOR_APPS_VCC_MATRIX_WRITER_H_
#define MPIACTOR_APPS_VCC_MATRIX_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "apps/common/output_file.h"

namespace mpiactor::vcc {

// Writes row by row, as OutputFile does.
class MatrixWriter {
 public:
  MatrixWriter(const std::string& option, const std::string& path) : file_(option, path) {}

  void begin(std::int32_t variables);
  void add(const double* row);  // as many entries as there are variables
  void finish() { file_.finish(); }

 private:
  apps::OutputFile file_;
  std::size_t row_bytes_ = 0;
};

}  // namespace mpiactor::vcc

#endif  // MPIACTOR_APPS_VCC_MATRIX_WRITER_H_
