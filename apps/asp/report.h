// What a run found and what it cost, as text and as JSON.
#ifndef MPIACTOR_APPS_ASP_REPORT_H_
#define MPIACTOR_APPS_ASP_REPORT_H_

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <string>

#include "apps/asp/distance_rows.h"
#include "apps/asp/floyd_warshall.h"
#include "apps/common/arrivals.h"
#include "apps/common/asleep.h"
#include "apps/common/over_ranks.h"
#include "apps/common/step_noise.h"

namespace mpiactor::asp {

struct Verification {
  std::int64_t sources = 0;
  std::int64_t mismatches = 0;  // sources whose row is wrong
};

struct Report {
  std::string input;  // file name, or "random N seed S"
  std::int64_t vertices = 0;
  std::int64_t arcs = 0;
  std::optional<DistanceSummary> distances;  // none where computing was asleep
  int ranks = 1;
  int threads = 1;
  std::int32_t batch = 1;
  apps::OverRanks total_s;
  apps::OverRanks compute_s;
  apps::OverRanks broadcast_s;
  apps::ArrivalSpread arrival;
  std::optional<apps::AsleepReport> asleep;
  std::optional<apps::NoiseReport> noise;
  std::optional<Verification> verification;
};

// Collective. Fills the times of `report` on all ranks.
void combine_times(const PhaseTimes& mine, MPI_Comm comm, Report& report);

// Lines that start with "asp: ", each ended by a newline.
std::string to_text(const Report& report);

std::string to_json(const Report& report);

}  // namespace mpiactor::asp

#endif  // MPIACTOR_APPS_ASP_REPORT_H_
