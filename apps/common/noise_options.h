// The options --noise, --noise-us and --noise-seed of the applications.
#ifndef MPIACTOR_APPS_COMMON_NOISE_OPTIONS_H_
#define MPIACTOR_APPS_COMMON_NOISE_OPTIONS_H_

#include <cstdint>
#include <string>

#include "apps/common/noise.h"

namespace mpiactor::cli {
class App;
}

namespace mpiactor::apps {

// By what steps last longer than their computing: by nothing, by draws, or as a trace says.
struct NoiseSettings {
  std::string typed = "independent";  // a kind, or trace:FILE
  double scale_us = 0.0;              // K
  std::uint64_t seed = 1;

  // Where neither, there is no noise.
  bool is_drawn() const { return scale_us > 0.0; }
  bool is_recorded() const { return !trace_file().empty(); }
  std::string trace_file() const;  // empty unless `typed` is trace:FILE

  // Only where not recorded. Throws std::invalid_argument where `typed` is no kind.
  Noise noise() const;
};

// Adds the options to `app`; they set `settings`.
void add_noise(cli::App& app, NoiseSettings& settings);

// After parsing. Throws the cli::ParseError that names an option and what is allowed: no such kind,
// a kind without a scale, a scale or seed with a trace, a seed without noise.
void check_noise(const cli::App& app, const NoiseSettings& settings);

}  // namespace mpiactor::apps

#endif  // MPIACTOR_APPS_COMMON_NOISE_OPTIONS_H_
