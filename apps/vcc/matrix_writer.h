// A square matrix as a NumPy file.
#ifndef MPIACTOR_APPS_VCC_MATRIX_WRITER_H_
#define MPIACTOR_APPS_VCC_MATRIX_WRITER_H_

#include <cstdint>
#include <fstream>
#include <string>

namespace mpiactor::vcc {

// Writes row by row. Failures are remembered and reported by finish(), so that rows can go on
// coming from other ranks.
class MatrixWriter {
 public:
  // Throws std::runtime_error naming `option` and the file where it cannot be made.
  MatrixWriter(const std::string& option, const std::string& path);

  void begin(std::int32_t variables);
  void add(const double* row);  // as many entries as there are variables
  // Throws std::runtime_error naming the file where anything could not be written.
  void finish();

 private:
  std::string label_;
  std::ofstream file_;
  std::streamsize row_bytes_ = 0;
};

}  // namespace mpiactor::vcc

#endif  // MPIACTOR_APPS_VCC_MATRIX_WRITER_H_
