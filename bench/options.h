// The command line of upa.
#ifndef MPIACTOR_BENCH_OPTIONS_H_
#define MPIACTOR_BENCH_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bench/arrival_pattern.h"
#include "bench/clock.h"
#include "bench/parsed.h"

namespace mpiactor::bench {

struct Options {
  std::vector<std::int64_t> sizes_bytes;
  ArrivalPlan arrivals;  // its `nodes` come from `node_layout`, or stay empty for the machine's
  std::string node_layout;
  int repetitions = 50;
  int warmup = 0;
  bool rotate_roots = true;
  int fixed_root = 0;
  std::int64_t margin_ns = 0;  // 0: to be chosen by default_margin_ns
  ClockMethod clock = ClockMethod::kAuto;
  std::vector<std::string> contenders;  // empty: the job as it was launched, called `label`
  std::string label;
  std::string json_path;  // empty: no JSON
};

// How the process goes on after its arguments were read.
using ParsedOptions = Parsed<Options>;

// Margin of the common start where none was given. Where every rank has a core of its own and none
// is to be late, ranks stay awake from the announcement to the start, and caches warm; elsewhere
// sleeping ranks need time to hear the announcement.
std::int64_t default_margin_ns(bool core_for_each_rank, std::int64_t skew_ns);

// Reads the arguments for a job of `ranks` ranks. The result is the same on every rank; nothing is
// printed.
ParsedOptions parse_options(int argc, const char* const* argv, int ranks);

}  // namespace mpiactor::bench

#endif  // MPIACTOR_BENCH_OPTIONS_H_
