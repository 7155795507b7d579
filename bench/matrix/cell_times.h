// From the entry and exit times of a collective's ranks to the figures that are reported.
#ifndef MPIACTOR_BENCH_MATRIX_CELL_TIMES_H_
#define MPIACTOR_BENCH_MATRIX_CELL_TIMES_H_

#include <cstdint>
#include <vector>

#include "bench/call_times.h"
#include "bench/matrix/collective.h"
#include "bench/statistics.h"

namespace mpiactor::bench {

struct TimedCall : CallTimes {
  std::int64_t start_ns = 0;  // the common start, to which ranks add their delays
};

// The arrival before which `rank` cannot leave the call: its own or, where later, that of the ranks
// whose data or presence it needs (see Direction).
std::int64_t last_needed_arrival_ns(Direction direction, const TimedCall& call, int rank);

// Figures of many calls of one cell, in microseconds. Excess is exit - last needed arrival.
struct CellSummary {
  Distribution last_exit_after_start_us;         // a call has one value
  Distribution last_exit_after_last_arrival_us;  // a call has one value
  Distribution excess_us;                        // every rank, every call
  Distribution root_excess_us;                   // the root's; zeros where there is no root
  Distribution others_excess_us;                 // every other rank's, every call
  Distribution in_call_us;                       // every rank, every call
  Distribution arrival_spread_us;                // last minus first arrival of a call
};

// `calls` have the same number of ranks.
CellSummary summarise(Direction direction, const std::vector<TimedCall>& calls);

}  // namespace mpiactor::bench

#endif  // MPIACTOR_BENCH_MATRIX_CELL_TIMES_H_
