// The command line of loop_run.
#ifndef MPIACTOR_BENCH_LOOP_LOOP_OPTIONS_H_
#define MPIACTOR_BENCH_LOOP_LOOP_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "apps/common/noise.h"
#include "bench/clock.h"
#include "bench/loop/floor.h"
#include "bench/node_map.h"
#include "bench/parsed.h"

namespace mpiactor::bench {

struct LoopOptions {
  std::vector<std::int64_t> sizes_bytes;
  LoopShape shape;
  apps::Noise noise{apps::NoiseKind::kIndependent, 0, 1};
  NodeMap nodes;  // empty: the machine's
  ClockMethod clock = ClockMethod::kAuto;
  std::string label;      // what the results are called
  std::string json_path;  // empty: no JSON
};

// How the process goes on after its arguments were read.
using ParsedLoopOptions = Parsed<LoopOptions>;

// Reads the arguments for a job of `ranks` ranks. The result is the same on every rank; nothing is
// printed.
ParsedLoopOptions parse_loop_options(int argc, const char* const* argv, int ranks);

}  // namespace mpiactor::bench

#endif  // MPIACTOR_BENCH_LOOP_LOOP_OPTIONS_H_
