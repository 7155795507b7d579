// From the entry and exit times of a broadcast's ranks to the figures that are reported.
#ifndef MPIACTOR_BENCH_CALL_TIMES_H_
#define MPIACTOR_BENCH_CALL_TIMES_H_

#include <cstdint>
#include <vector>

#include "bench/statistics.h"

namespace mpiactor::bench {

// One broadcast: when each rank entered and left it, in nanoseconds of one common clock.
struct CallTimes {
  int root = 0;
  std::vector<std::int64_t> arrival_ns;  // one entry for each rank
  std::vector<std::int64_t> exit_ns;     // one entry for each rank
};

// Time that `rank` spent in the call beyond what the root's arrival alone forces on it:
// (exit - arrival) - max(0, root arrival - own arrival). Its floor is zero; below it lies only an
// error of the common clock.
std::int64_t excess_ns(const CallTimes& call, int rank);

// Figures of many calls of one size, in microseconds.
struct CallSummary {
  Distribution in_call_us;                       // every rank, every call
  double slowest_rank_in_call_us = 0;            // mean of each rank, maximum over ranks ([CP])
  Distribution excess_us;                        // every non-root rank, every call
  Distribution root_in_call_us;                  // the root's own time
  Distribution last_exit_after_last_arrival_us;  // a call has one value
  Distribution last_exit_after_root_entry_us;    // a call has one value
  Distribution arrival_spread_us;                // last minus first arrival of a call
};

// `calls` have the same number of ranks.
CallSummary summarise(const std::vector<CallTimes>& calls);

}  // namespace mpiactor::bench

#endif  // MPIACTOR_BENCH_CALL_TIMES_H_
