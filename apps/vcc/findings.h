// What a result comes to: trace, largest correlations.
#ifndef MPIACTOR_APPS_VCC_FINDINGS_H_
#define MPIACTOR_APPS_VCC_FINDINGS_H_

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "apps/vcc/result_rows.h"

namespace mpiactor::vcc {

struct Correlation {
  std::int32_t first = 0;  // first < second, counted from 0
  std::int32_t second = 0;
  double value = 0.0;
};

struct Findings {
  double trace = 0.0;                // sum of the variances that are defined
  std::int64_t undefined_pairs = 0;  // of different variables, without a correlation
  // The pairs of different variables with the largest magnitudes, largest first; equal ones by
  // their numbers.
  std::vector<Correlation> largest;
};

// Collective; rows must be whole. At most `count` correlations. The result is complete on rank 0.
Findings find(const ResultRows& results, std::int32_t count, MPI_Comm comm);

}  // namespace mpiactor::vcc

#endif  // MPIACTOR_APPS_VCC_FINDINGS_H_
