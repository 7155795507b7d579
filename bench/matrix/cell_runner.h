// Runs the calls of one cell and collects when every rank entered and left.
#ifndef MPIACTOR_BENCH_MATRIX_CELL_RUNNER_H_
#define MPIACTOR_BENCH_MATRIX_CELL_RUNNER_H_

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/clock.h"
#include "bench/common_start.h"
#include "bench/contender.h"
#include "bench/matrix/cell_plan.h"
#include "bench/matrix/cell_times.h"
#include "bench/matrix/matrix_options.h"
#include "bench/page_buffer.h"

namespace mpiactor::bench {

// All calls of one contender in one cell.
struct CellSeries {
  Cell cell;
  std::string contender;
  std::vector<TimedCall> calls;   // filled on rank 0 only
  std::int64_t late_entries = 0;  // as of GatheredTimes; rank 0 only
};

class CellRunner {
 public:
  // Collective over MPI_COMM_WORLD. `options.arrivals.nodes` and `options.margin_ns` are filled;
  // buffers of `buffers` bytes are made. Every object given must outlive this one; `sync_comm` is
  // a communicator that nothing else uses. With `core_for_each_rank` ranks stay awake around the
  // call, else they sleep.
  CellRunner(const MatrixOptions& options, BufferBytes buffers, MPI_Comm sync_comm,
             CommonClock& clock, const LeaderSwitch& leader_switch, bool core_for_each_rank);

  // Collective. One series for each contender, which take turns in spells of several calls: all
  // meet the same roots and delays, and within a spell each finds the caches as it left them.
  // Throws JobFailed on all ranks if a call delivers wrong data or the runtime refuses a leader on
  // any of them.
  std::vector<CellSeries> run(const Cell& cell);

 private:
  struct CellTimes;

  template <typename Number>
  Number from_rank0(Number value) const;
  void choose(const std::string& contender);
  std::int64_t warm_up(const Cell& cell, int least);
  void verify(const Cell& cell, int root);
  int repetitions_for(std::int64_t warm_call_ns) const;
  std::vector<CellTimes> run_spells(const Cell& cell, const std::vector<std::string>& contenders,
                                    std::int64_t warm_call_ns);
  void run_spell(const Cell& cell, int first, int end, CellTimes& times);
  void sweep();
  void call(const Cell& cell, int root);
  // Where the k-th of the calls that are under way together receives.
  std::byte* received(const Cell& cell, int k) const;
  CellSeries gather(const Cell& cell, const std::string& contender, const CellTimes& times) const;
  int root_of(const Cell& cell, std::int64_t repetition) const;

  const MatrixOptions& options_;
  MPI_Comm sync_comm_;
  CommonClock& clock_;
  const LeaderSwitch& leader_switch_;
  CommonStart common_start_;
  bool core_for_each_rank_;
  int rank_ = 0;
  int ranks_ = 1;
  PageBuffer send_;
  PageBuffer receive_;
  PageBuffer swept_;
  std::vector<int> counts_;
  std::vector<int> displacements_;
  std::vector<MPI_Request> requests_;
  bool first_cell_ = true;
  unsigned verifications_ = 0;
};

}  // namespace mpiactor::bench

#endif  // MPIACTOR_BENCH_MATRIX_CELL_RUNNER_H_
