// What a benchmark program's command line comes to.
#ifndef MPIACTOR_BENCH_PARSED_H_
#define MPIACTOR_BENCH_PARSED_H_

#include <string>

namespace mpiactor::bench {

template <typename Options>
struct Parsed {
  Options options;
  bool run = true;
  int exit_code = 0;    // if not `run`
  std::string message;  // for rank 0 to print if not `run`: to stdout if exit_code is 0
};

}  // namespace mpiactor::bench

#endif  // MPIACTOR_BENCH_PARSED_H_
