// The distance matrix as a file.
#ifndef MPIACTOR_APPS_ASP_MATRIX_FILE_H_
#define MPIACTOR_APPS_ASP_MATRIX_FILE_H_

#include <array>
#include <cstdint>
#include <fstream>
#include <string>

#include "apps/asp/graph.h"

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

// Writes row by row. Failures are remembered and reported by finish(), so that rows can go on
// coming from other ranks.
class MatrixWriter {
 public:
  // Throws std::runtime_error naming the file where it cannot be made.
  explicit MatrixWriter(const std::string& path);

  void begin(const Graph& graph);
  void add(const Distance* row);  // as many entries as the graph has vertices
  // Throws std::runtime_error naming the file where anything could not be written.
  void finish();

 private:
  std::string path_;
  std::ofstream file_;
  std::streamsize row_bytes_ = 0;
};

}  // namespace mpiactor::asp

#endif  // MPIACTOR_APPS_ASP_MATRIX_FILE_H_
