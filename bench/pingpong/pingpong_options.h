// The command line of pingpong.
#ifndef MPIACTOR_BENCH_PINGPONG_PINGPONG_OPTIONS_H_
#define MPIACTOR_BENCH_PINGPONG_PINGPONG_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bench/node_map.h"
#include "bench/parsed.h"

namespace mpiactor::bench {

struct PingPongOptions {
  std::vector<std::int64_t> sizes_bytes;
  double cell_ms = 0;  // for the round trips of one size
  NodeMap nodes;       // empty: the machine's
  std::string label;
  std::string json_path;  // empty: no JSON
};

// How the process goes on after its arguments were read.
using ParsedPingPongOptions = Parsed<PingPongOptions>;

// Reads the arguments for a job of `ranks` ranks. The result is the same on every rank; nothing is
// printed.
ParsedPingPongOptions parse_pingpong_options(int argc, const char* const* argv, int ranks);

}  // namespace mpiactor::bench

#endif  // MPIACTOR_BENCH_PINGPONG_PINGPONG_OPTIONS_H_
