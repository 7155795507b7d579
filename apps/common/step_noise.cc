#include "apps/common/step_noise.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>

#include "apps/common/agree.h"
#include "apps/common/arrivals.h"
#include "apps/common/over_ranks.h"
#include "apps/common/recorded_gaps.h"
#include "apps/common/sleeper.h"

namespace mpiactor::apps {
namespace {

// Collective. This rank's of `file`, `steps` of them.
std::vector<double> recorded(const std::string& program, const std::string& file, std::size_t steps,
                             MPI_Comm comm) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  std::vector<std::vector<std::int64_t>> gaps_ns;
  run_agreed(program, comm, [&] {
    if (rank != 0) return;
    try {
      gaps_ns = read_recorded_gaps(file, ranks);
    } catch (const std::exception& error) {
      throw std::runtime_error(fmt::format("--noise trace:{}: {}", file, error.what()));
    }
  });
  const auto room = static_cast<std::size_t>(ranks);
  std::vector<double> all(rank == 0 ? room * steps : 0);
  for (std::size_t other = 0; other < gaps_ns.size(); ++other) {
    for (std::size_t step = 0; step < steps; ++step) {
      all[other * steps + step] = static_cast<double>(gaps_ns[other][step % gaps_ns[other].size()]);
    }
  }
  std::vector<double> mine(steps);
  const int count = static_cast<int>(steps);
  MPI_Scatter(all.data(), count, MPI_DOUBLE, mine.data(), count, MPI_DOUBLE, 0, comm);
  return mine;
}

std::vector<double> drawn(const Noise& noise, std::size_t steps, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::vector<double> mine;
  mine.reserve(steps);
  for (std::size_t step = 0; step < steps; ++step) {
    mine.push_back(static_cast<double>(noise.draw_ns(rank, static_cast<std::int64_t>(step))));
  }
  return mine;
}

}  // namespace

StepNoise::StepNoise(const std::string& program, const NoiseSettings& settings, std::size_t steps,
                     MPI_Comm comm)
    : settings_(settings) {
  if (settings.is_recorded()) {
    noise_ns_ = recorded(program, settings.trace_file(), steps, comm);
  } else if (settings.is_drawn()) {
    noise_ns_ = drawn(settings.noise(), steps, comm);
  }
}

double StepNoise::length_ns(std::size_t step, double computing_ns) const {
  if (!is_there()) return computing_ns;
  return is_recorded() ? noise_ns_[step] : computing_ns + noise_ns_[step];
}

void StepNoise::finish(std::size_t first, std::size_t count, std::int64_t begin_ns,
                       Sleeper& sleeper) const {
  if (!is_there()) return;
  const auto begin = noise_ns_.begin() + static_cast<std::ptrdiff_t>(first);
  const double sum_ns = std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(count), 0.0);
  sleeper.step(is_recorded() ? begin_ns : monotonic_ns(), sum_ns);
}

std::optional<NoiseReport> StepNoise::report(MPI_Comm comm) const {
  if (!is_there()) return std::nullopt;
  const double sum_ns = std::accumulate(noise_ns_.begin(), noise_ns_.end(), 0.0);
  const double steps = noise_ns_.empty() ? 1.0 : static_cast<double>(noise_ns_.size());
  return NoiseReport{settings_, over_ranks(sum_ns / steps * 1e-3, comm).mean};
}

std::string to_text(const std::string& program, const NoiseReport& report) {
  std::string text = fmt::format("{}: noise={}", program, report.settings.typed);
  if (!report.settings.is_recorded()) {
    text +=
        fmt::format(" noise_us={} noise_seed={}", report.settings.scale_us, report.settings.seed);
  }
  return text + fmt::format(" noise_mean_us={:.1f}", report.mean_us);
}

nlohmann::ordered_json to_json(const NoiseReport& report) {
  nlohmann::ordered_json json = {{"kind", report.settings.typed}};
  if (!report.settings.is_recorded()) {
    json["us"] = report.settings.scale_us;
    json["seed"] = report.settings.seed;
  }
  json["mean_us"] = report.mean_us;
  return json;
}

}  // namespace mpiactor::apps
