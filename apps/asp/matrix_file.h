// The distance matrix as a file.
#ifndef MPIACTOR_APPS_ASP_MATRIX_FILE_H_
#define MPIACTOR_APPS_ASP_MATRIX_FILE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "apps/asp/graph.h"
#include "apps/common/output_file.h"

namespace mpiactor::asp {

// First 32 bytes of the file; all numbers are little-endian. Then follow `vertices` rows of
// `vertices` int32 distances, row u, column v: from u to v, `unreachable` where there is no path.
struct MatrixHeader {
  std::array<char, 8> magic = {'A', 'S', 'P', 'D', 'I', 'S', 'T', '1'};
  std::int64_t vertices = 0;
  std::int64_t arcs = 0;
  std::int32_t unreachable = kUnreachable;
  std::int32_t entry_bytes = sizeof(Distance);
};
static_assert(sizeof(MatrixHeader) == 32);

// Writes row by row, as OutputFile does.
class MatrixWriter {
 public:
  explicit MatrixWriter(const std::string& path) : file_("--out", path) {}

  void begin(const Graph& graph);
  void add(const Distance* row);  // as many entries as the graph has vertices
  void finish() { file_.finish(); }

 private:
  apps::OutputFile file_;
  std::size_t row_bytes_ = 0;
};

}  // namespace mpiactor::asp

#endif  // MPIACTOR_APPS_ASP_MATRIX_FILE_H_
