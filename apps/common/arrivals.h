// When each rank entered each of a row of collectives, and how far apart the ranks were.
#ifndef MPIACTOR_APPS_COMMON_ARRIVALS_H_
#define MPIACTOR_APPS_COMMON_ARRIVALS_H_

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mpiactor::apps {

// Nanoseconds of CLOCK_MONOTONIC: one clock for all processes of one kernel, containers and
// network namespaces included.
std::int64_t monotonic_ns();

// Spread of one collective: latest minus earliest entry over the ranks.
struct ArrivalSpread {
  bool comparable = false;  // false: the ranks run on several kernels, whose clocks differ
  double mean_us = 0.0;     // over the collectives
  double max_us = 0.0;
};

// A line that starts with `program` and ": ", without a newline.
std::string to_text(const std::string& program, const ArrivalSpread& spread);

class ArrivalLog {
 public:
  explicit ArrivalLog(std::size_t expected_calls) { entries_ns_.reserve(expected_calls); }

  void record(std::int64_t entry_ns) { entries_ns_.push_back(entry_ns); }

  // Collective; every rank must have recorded the same number of calls. The result is the same on
  // all ranks. Communicates nothing before this, so that logging does not change arrivals.
  ArrivalSpread spread(MPI_Comm comm) const;

 private:
  std::vector<std::int64_t> entries_ns_;
};

}  // namespace mpiactor::apps

#endif  // MPIACTOR_APPS_COMMON_ARRIVALS_H_
