// Runs the repetitions of one message size and collects when every rank entered and left.
#ifndef MPIACTOR_BENCH_MEASURE_H_
#define MPIACTOR_BENCH_MEASURE_H_

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/call_times.h"
#include "bench/clock.h"
#include "bench/common_start.h"
#include "bench/contender.h"
#include "bench/options.h"
#include "bench/own_times.h"

namespace mpiactor::bench {

// All calls of one contender at one size.
struct Series {
  std::string contender;
  std::int64_t bytes = 0;
  std::vector<CallTimes> calls;   // filled on rank 0 only
  std::int64_t late_entries = 0;  // as of GatheredTimes; rank 0 only
};

class Measurement {
 public:
  // Collective over MPI_COMM_WORLD. `options.arrivals.nodes` is filled. Every object given must
  // outlive this one; `sync_comm` is a communicator that nothing else uses. With
  // `core_for_each_rank` ranks stay awake around the call, else they sleep.
  Measurement(const Options& options, MPI_Comm sync_comm, CommonClock& clock,
              const LeaderSwitch& leader_switch, bool core_for_each_rank);

  // Collective. One series for each contender, which alternate call by call: in each repetition
  // all meet the same root and the same delays, and take turns at coming first. Throws JobFailed
  // on all ranks if a call delivers wrong bytes or the runtime refuses a leader on any of them.
  std::vector<Series> run_size(std::int64_t bytes);

 private:
  void check(const std::vector<std::byte>& buffer, std::uint64_t call, int root);
  void run_call(std::vector<std::byte>& buffer, int root, std::int64_t delay_ns, OwnTimes& times);
  int root_of(std::int64_t repetition) const;

  const Options& options_;
  MPI_Comm sync_comm_;
  CommonClock& clock_;
  const LeaderSwitch& leader_switch_;
  CommonStart common_start_;
  bool core_for_each_rank_;
  int rank_ = 0;
  int ranks_ = 1;
  std::uint64_t calls_made_ = 0;
};

}  // namespace mpiactor::bench

#endif  // MPIACTOR_BENCH_MEASURE_H_
