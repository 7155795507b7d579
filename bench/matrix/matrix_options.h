// The command line of collectives_run.
#ifndef MPIACTOR_BENCH_MATRIX_MATRIX_OPTIONS_H_
#define MPIACTOR_BENCH_MATRIX_MATRIX_OPTIONS_H_

#include <cstdint>
#include <vector>

#include "bench/common_options.h"
#include "bench/matrix/cell_plan.h"
#include "bench/matrix/collective.h"
#include "bench/matrix/contents.h"
#include "bench/parsed.h"

namespace mpiactor::bench {

struct MatrixOptions : CommonOptions {
  std::vector<const Collective*> collectives;
  std::vector<std::int64_t> sizes_bytes;  // of a block, multiples of the element
  ElementType element{};
  Roots roots = Roots::kFixed;
  std::int64_t cell_ns = 0;  // time for the calls of one contender in one cell
  int repetitions = 0;       // 0: as many as fit into cell_ns
  int least_repetitions = 0;
  std::int64_t memory_limit_bytes = 0;
  int buffer_offset_bytes = 0;   // behind the beginning of a page
  int under_way = 1;             // nonblocking calls at a time
  std::int64_t sweep_bytes = 0;  // that each rank writes before each timed call
  bool verify = true;
};

// How the process goes on after its arguments were read.
using ParsedMatrixOptions = Parsed<MatrixOptions>;

// Reads the arguments for a job of `ranks` ranks. The result is the same on every rank; nothing is
// printed.
ParsedMatrixOptions parse_matrix_options(int argc, const char* const* argv, int ranks);

}  // namespace mpiactor::bench

#endif  // MPIACTOR_BENCH_MATRIX_MATRIX_OPTIONS_H_
