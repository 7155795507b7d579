// From each rank's own times of the same calls to those of all ranks.
#ifndef MPIACTOR_BENCH_OWN_TIMES_H_
#define MPIACTOR_BENCH_OWN_TIMES_H_

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "bench/call_times.h"
#include "bench/clock.h"

namespace mpiactor::bench {

// This rank's times of a row of calls, in the common clock.
struct OwnTimes {
  std::vector<std::int64_t> arrival_ns;
  std::vector<std::int64_t> exit_ns;
  std::int64_t late_entries = 0;

  // A call that was to begin at `planned_ns`. All moments are of this process's own clock.
  void add(const CommonClock& clock, std::int64_t planned_ns, std::int64_t arrived_ns,
           std::int64_t left_ns);
};

// Filled on rank 0 only.
struct GatheredTimes {
  std::vector<CallTimes> calls;
  // Entries (a rank, a call) that began more than 1 ms after their planned time: the machine, not
  // the program, decided those arrivals.
  std::int64_t late_entries = 0;
};

// Collective, through PMPI alone. Call i, from 0, had the root root_of(i).
GatheredTimes gather_times(const OwnTimes& own, const std::function<int(std::int64_t)>& root_of,
                           MPI_Comm comm);

}  // namespace mpiactor::bench

#endif  // MPIACTOR_BENCH_OWN_TIMES_H_
