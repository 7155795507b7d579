// What a run found and what it cost, as text and as JSON.
#ifndef MPIACTOR_APPS_VCC_REPORT_H_
#define MPIACTOR_APPS_VCC_REPORT_H_

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/common/arrivals.h"
#include "apps/common/asleep.h"
#include "apps/common/over_ranks.h"
#include "apps/common/step_noise.h"
#include "apps/vcc/correlate_all.h"
#include "apps/vcc/findings.h"

namespace mpiactor::vcc {

struct Verification {
  std::int64_t variables = 0;
  std::int64_t mismatches = 0;  // variables whose rows are wrong
  double largest_difference = 0.0;
};

struct Report {
  std::string input;  // file name, or "random V observations O missing P seed S"
  std::int64_t variables = 0;
  std::int64_t observations = 0;
  std::vector<std::string> names;    // of the variables; empty where the input has none
  std::int64_t missing = 0;          // values
  std::int64_t incomplete = 0;       // variables with missing values
  std::optional<Findings> findings;  // none where computing was asleep
  int ranks = 1;
  std::int32_t block = 1;
  std::int64_t broadcasts = 0;
  std::int64_t largest_broadcast_bytes = 0;
  apps::OverRanks total_s;
  apps::OverRanks compute_s;
  apps::OverRanks broadcast_s;
  apps::OverRanks exchange_s;
  apps::ArrivalSpread arrival;
  std::optional<apps::AsleepReport> asleep;
  std::optional<apps::NoiseReport> noise;
  std::optional<Verification> verification;
};

// Collective. Fills the times of `report` on all ranks.
void combine_times(const PhaseTimes& mine, MPI_Comm comm, Report& report);

// Lines that start with "vcc: ", each ended by a newline.
std::string to_text(const Report& report);

std::string to_json(const Report& report);

}  // namespace mpiactor::vcc

#endif  // MPIACTOR_APPS_VCC_REPORT_H_
