// The command line of upa.
#ifndef MPIACTOR_BENCH_OPTIONS_H_
#define MPIACTOR_BENCH_OPTIONS_H_

#include <cstdint>
#include <vector>

#include "bench/common_options.h"
#include "bench/parsed.h"

namespace mpiactor::bench {

struct Options : CommonOptions {
  std::vector<std::int64_t> sizes_bytes;
  int repetitions = 50;
  int warmup = 0;
  bool rotate_roots = true;
};

// How the process goes on after its arguments were read.
using ParsedOptions = Parsed<Options>;

// Reads the arguments for a job of `ranks` ranks. The result is the same on every rank; nothing is
// printed.
ParsedOptions parse_options(int argc, const char* const* argv, int ranks);

}  // namespace mpiactor::bench

#endif  // MPIACTOR_BENCH_OPTIONS_H_
