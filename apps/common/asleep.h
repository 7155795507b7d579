// Computing that is slept instead of done: what work costs is measured at the start, then every
// step lasts as long as its work takes on a core of its own, and keeps no core busy.
#ifndef MPIACTOR_APPS_COMMON_ASLEEP_H_
#define MPIACTOR_APPS_COMMON_ASLEEP_H_

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "apps/common/over_ranks.h"
#include "apps/common/sleeper.h"
#include "apps/common/step_noise.h"

namespace mpiactor::apps {

// Timed samples that a rank takes of each kind of work.
inline constexpr int kCostSamples = 16;

// CPU time of the calling thread, ns: what a core spent on it, not what it waited for one.
std::int64_t thread_cpu_ns();

// What one unit of some kind of work took, in timed samples.
class UnitCosts {
 public:
  explicit UnitCosts(std::string kind) : kind_(std::move(kind)) {}

  // A sample: `cpu_ns` for `units` >= 1 together.
  void add(std::int64_t cpu_ns, std::int64_t units);

  // ns for `units`: `units` times one of the samples, each as likely as any other. Throws
  // std::logic_error where there are units, but no samples.
  double draw(std::int64_t units, std::mt19937_64& random) const;

  const std::string& kind() const { return kind_; }
  // ns of a unit in each sample.
  const std::vector<double>& samples() const { return unit_ns_; }
  void set_samples(std::vector<double> unit_ns) { unit_ns_ = std::move(unit_ns); }
  double mean_ns() const;  // of a unit; 0 without samples

 private:
  std::string kind_;
  std::vector<double> unit_ns_;
};

// What steps are drawn by: the same for the same arguments, different from rank to rank.
std::mt19937_64 step_random(std::uint64_t seed, int rank);

// Collective. `sample` on one rank after another; the others sleep and look for messages only now
// and then, so that each has the machine for itself. `sample` must not throw.
void await_turn(MPI_Comm comm);
void pass_turn(MPI_Comm comm);
template <typename Sample>
void in_turn(MPI_Comm comm, Sample&& sample) {
  await_turn(comm);
  sample();
  pass_turn(comm);
}

struct SleepSettings {
  std::uint64_t seed = 0;  // by which steps' lengths are drawn
  double slower = 1.0;     // times that a step lasts as long
};

// What slept computing came to; for reports.
struct AsleepReport {
  SleepSettings settings;
  double asked_s = 0.0;  // means over ranks of the sleeper's
  double spent_s = 0.0;
  // What ranks would wait for roots that come later if a broadcast took no time, mean over ranks;
  // on rank 0 alone.
  double floor_broadcast_s = 0.0;
  std::vector<std::string> kinds;  // of work
  std::vector<OverRanks> unit_ns;  // of each kind, the means of the ranks' samples
  // Of each kind, rank by rank, kCostSamples of each, zeros where a rank had nothing to take them
  // from. On rank 0 alone.
  std::vector<std::vector<double>> samples_ns;
};

// All steps of a rank.
class SleptSteps {
 public:
  // `steps_ns`: what each takes, drawn from `costs`. Both are empty where `noise` is recorded.
  SleptSteps(const SleepSettings& settings, std::vector<UnitCosts> costs,
             std::vector<double> steps_ns, StepNoise noise)
      : settings_(settings),
        costs_(std::move(costs)),
        steps_ns_(std::move(steps_ns)),
        noise_(std::move(noise)) {}

  void take(std::size_t step, std::int64_t begin_ns) { sleeper_.step(begin_ns, length_ns(step)); }

  // Collective; the same on all ranks, but where it says otherwise. `roots`: of the broadcast
  // before each step.
  AsleepReport report(const std::vector<int>& roots, MPI_Comm comm) const;

 private:
  double length_ns(std::size_t step) const {
    const double computing_ns = steps_ns_.empty() ? 0.0 : settings_.slower * steps_ns_[step];
    return noise_.length_ns(step, computing_ns);
  }
  double floor_broadcast_s(const std::vector<int>& roots, MPI_Comm comm) const;

  SleepSettings settings_;
  std::vector<UnitCosts> costs_;
  std::vector<double> steps_ns_;
  StepNoise noise_;
  Sleeper sleeper_;
};

// Two lines that start with `program` and ": ", the last without a newline.
std::string to_text(const std::string& program, const AsleepReport& report);

nlohmann::ordered_json to_json(const AsleepReport& report);

}  // namespace mpiactor::apps

#endif  // MPIACTOR_APPS_COMMON_ASLEEP_H_
