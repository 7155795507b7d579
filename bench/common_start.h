// A start time that all ranks of a repetition agree on, unless one of them has a problem.
#ifndef MPIACTOR_BENCH_COMMON_START_H_
#define MPIACTOR_BENCH_COMMON_START_H_

#include <mpi.h>

#include <cstdint>
#include <string>

#include "bench/clock.h"

namespace mpiactor::bench {

// Synchronises the ranks of a communicator by point-to-point messages of its own. It calls PMPI
// only, so a runtime that takes over MPI functions never sees it; and where there are more ranks
// than cores it waits by short sleeps.
class CommonStart {
 public:
  // `comm` and `clock` must outlive this object. With `stay_awake` it polls without a pause, which
  // keeps caches warm but needs a core for each rank.
  CommonStart(MPI_Comm comm, const CommonClock& clock, bool stay_awake);

  // What this rank has seen to be wrong; an empty text is nothing. The first problem counts.
  void note_problem(const std::string& problem);

  // Collective. Once every rank has called it, rank 0 announces a moment `margin_ns` ahead;
  // returns that moment in this process's own clock. The ranks leave this call at different times,
  // which is why they must then wait for the moment instead of starting at once.
  // Throws JobFailed on all ranks where any has a problem: none of them is inside a collective
  // here. An abort as soon as it is seen could lose the message that says why.
  std::int64_t agree(std::int64_t margin_ns) const;

 private:
  void complete(MPI_Request request) const;
  void receive(std::int64_t& value, int peer, int tag) const;
  void send(const std::int64_t& value, int peer, int tag) const;

  MPI_Comm comm_;
  const CommonClock& clock_;
  bool stay_awake_;
  int rank_ = 0;
  int ranks_ = 1;
  std::string problem_;  // the first that this rank saw
};

}  // namespace mpiactor::bench

#endif  // MPIACTOR_BENCH_COMMON_START_H_
