// The noise of a rank's steps: how much longer each lasts, and sleeping it.
#ifndef MPIACTOR_APPS_COMMON_STEP_NOISE_H_
#define MPIACTOR_APPS_COMMON_STEP_NOISE_H_

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/common/noise_options.h"

namespace mpiactor::apps {

class Sleeper;

// What the noise came to; for reports.
struct NoiseReport {
  NoiseSettings settings;
  double mean_us = 0.0;  // of a step, over ranks: what drawn noise adds, or what was recorded
};

class StepNoise {
 public:
  // Collective. Of `steps` steps of this rank. A trace is read by rank 0; where it cannot be read
  // or is not of as many ranks, it says after "`program`: " what is wrong, and all ranks throw
  // AgreedFailure. A trace of fewer steps begins anew at its end.
  StepNoise(const std::string& program, const NoiseSettings& settings, std::size_t steps,
            MPI_Comm comm);

  bool is_recorded() const { return settings_.is_recorded(); }
  bool is_there() const { return settings_.is_recorded() || settings_.is_drawn(); }

  // How long a step lasts whose computing takes `computing_ns`: that and what is drawn, or what was
  // recorded.
  double length_ns(std::size_t step, double computing_ns) const;

  // After the real computing of steps first .. first + count - 1, which began at `begin_ns` of
  // CLOCK_MONOTONIC: sleeps what is drawn for all of them, or until they have lasted as long as
  // recorded.
  void finish(std::size_t first, std::size_t count, std::int64_t begin_ns, Sleeper& sleeper) const;

  // Collective; the same on all ranks. Nothing where there is no noise.
  std::optional<NoiseReport> report(MPI_Comm comm) const;

 private:
  NoiseSettings settings_;
  std::vector<double> noise_ns_;  // of each step; empty where there is no noise
};

// A line that starts with `program` and ": ", without a newline.
std::string to_text(const std::string& program, const NoiseReport& report);

nlohmann::ordered_json to_json(const NoiseReport& report);

}  // namespace mpiactor::apps

#endif  // MPIACTOR_APPS_COMMON_STEP_NOISE_H_
