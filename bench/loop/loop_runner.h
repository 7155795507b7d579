// Runs the loop of one message size and collects when every rank entered and left each broadcast.
#ifndef MPIACTOR_BENCH_LOOP_LOOP_RUNNER_H_
#define MPIACTOR_BENCH_LOOP_LOOP_RUNNER_H_

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/call_times.h"
#include "bench/clock.h"
#include "bench/common_start.h"
#include "bench/loop/loop_options.h"

namespace mpiactor::bench {

// The counted steps of one size, in nanoseconds of the common clock. Filled on rank 0 only.
struct LoopSeries {
  std::int64_t bytes = 0;
  std::vector<CallTimes> calls;
  std::int64_t begin_ns = 0;      // when the first rank began them
  std::int64_t late_entries = 0;  // as of GatheredTimes
};

class LoopRunner {
 public:
  // Collective over MPI_COMM_WORLD. Every object given must outlive this one; `sync_comm` is a
  // communicator that nothing else uses.
  LoopRunner(const LoopOptions& options, MPI_Comm sync_comm, CommonClock& clock);

  // Collective. All steps, from a common start. Throws JobFailed on all ranks if a broadcast has
  // delivered wrong bytes on any of them.
  LoopSeries run(std::int64_t bytes);

 private:
  struct LoopTimes;

  void step(std::int64_t step, std::int64_t begin_ns, std::vector<std::byte>& buffer,
            LoopTimes& times);
  void check(std::int64_t step, const std::vector<std::byte>& buffer);
  LoopSeries gather(std::int64_t bytes, const LoopTimes& times) const;

  const LoopOptions& options_;
  MPI_Comm sync_comm_;
  CommonClock& clock_;
  CommonStart common_start_;
  int rank_ = 0;
  std::uint64_t first_call_ = 0;  // number of step 0's call, over all sizes
};

}  // namespace mpiactor::bench

#endif  // MPIACTOR_BENCH_LOOP_LOOP_RUNNER_H_
