// Time: each rank's own clock, one clock common to all ranks, and waiting for a moment of it.
#ifndef MPIACTOR_BENCH_CLOCK_H_
#define MPIACTOR_BENCH_CLOCK_H_

#include <mpi.h>

#include <cstdint>

namespace mpiactor::bench {

// CLOCK_MONOTONIC of this process, in nanoseconds.
std::int64_t now_ns();

// Sleeps until now_ns() reaches `moment_ns`; with `spin_at_end` it is awake, and spinning, for the
// last 100 us, which enters a call more sharply but needs a core of its own. Returns at once if
// the moment has passed.
void wait_until(std::int64_t moment_ns, bool spin_at_end);

enum class ClockMethod {
  kAuto,      // kSame where all ranks run under one kernel, else kEstimate
  kSame,      // trust CLOCK_MONOTONIC to be common to all ranks
  kEstimate,  // measure the distance of every rank's clock to rank 0's
};

// Rank 0's clock, known to every rank.
class CommonClock {
 public:
  // Collective. `comm` must outlive the clock; it is used through PMPI only.
  CommonClock(MPI_Comm comm, ClockMethod method);

  // Collective. Measures the distances (anew, since clocks drift); nothing to do where the clock
  // is shared.
  void calibrate();

  // A moment of this process's clock as rank 0's clock would show it, and back.
  std::int64_t to_common(std::int64_t own_ns) const { return own_ns - ahead_ns_; }
  std::int64_t to_own(std::int64_t common_ns) const { return common_ns + ahead_ns_; }

  bool estimated() const { return estimated_; }
  // How far this rank's clock is ahead of rank 0's, and how far the estimate may be off (half the
  // shortest round trip seen). Both 0 where the clock is shared.
  std::int64_t ahead_ns() const { return ahead_ns_; }
  std::int64_t uncertainty_ns() const { return uncertainty_ns_; }
  // Ranks under the same kernel as this one, itself included.
  int ranks_of_this_kernel() const { return ranks_of_this_kernel_; }

 private:
  MPI_Comm comm_;
  bool estimated_ = false;
  int ranks_of_this_kernel_ = 1;
  std::int64_t ahead_ns_ = 0;
  std::int64_t uncertainty_ns_ = 0;
};

}  // namespace mpiactor::bench

#endif  // MPIACTOR_BENCH_CLOCK_H_
