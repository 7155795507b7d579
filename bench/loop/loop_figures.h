// From the times of a loop's broadcasts to the figures that are reported.
#ifndef MPIACTOR_BENCH_LOOP_LOOP_FIGURES_H_
#define MPIACTOR_BENCH_LOOP_LOOP_FIGURES_H_

#include <cstdint>
#include <vector>

#include "bench/call_times.h"
#include "bench/loop/floor.h"

namespace mpiactor::bench {

// Means over ranks and calls, microseconds. Excess: see excess_ns.
struct LoopFigures {
  double in_call_us = 0.0;        // time in the call
  double floor_us = 0.0;          // what of it the same noise costs if a broadcast takes no time
  double net_us = 0.0;            // in_call_us - floor_us
  double excess_us = 0.0;         // of all ranks; the root's is its time in the call
  double others_excess_us = 0.0;  // of all ranks but the root
  double root_in_call_us = 0.0;
  double spread_us = 0.0;  // latest minus earliest arrival of a call
  double whole_us = 0.0;   // of all counted steps together: from the first begin to the last exit
  double floor_whole_us = 0.0;
};

// `calls` are those of the counted steps, not empty; `begin_ns` is when the first rank began them.
LoopFigures figures_of(const std::vector<CallTimes>& calls, std::int64_t begin_ns,
                       const apps::BroadcastFloor& floor);

}  // namespace mpiactor::bench

#endif  // MPIACTOR_BENCH_LOOP_LOOP_FIGURES_H_
