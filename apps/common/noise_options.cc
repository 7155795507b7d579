#include "apps/common/noise_options.h"

#include <fmt/core.h>

#include <cmath>
#include <stdexcept>
#include <string_view>

#include "third_party/cli11/cli.h"

namespace mpiactor::apps {
namespace {

constexpr std::string_view kTracePrefix = "trace:";
constexpr double kNsPerUs = 1e3;

[[noreturn]] void refuse(const std::string& option, const std::string& why) {
  throw cli::ValidationError(option, why);
}

}  // namespace

std::string NoiseSettings::trace_file() const {
  return typed.starts_with(kTracePrefix) ? typed.substr(kTracePrefix.size()) : std::string();
}

Noise NoiseSettings::noise() const {
  return {parse_noise(typed), std::llround(scale_us * kNsPerUs), seed};
}

void add_noise(cli::App& app, NoiseSettings& settings) {
  app.add_option("--noise-us", settings.scale_us,
                 "K: every step of every rank sleeps longer by noise of this scale")
      ->check(cli::Range(0.0, 60e6))
      ->type_name("K")
      ->capture_default_str();
  app.add_option("--noise", settings.typed,
                 "independent: each rank and step up to K; persistent: each rank a share of K of "
                 "its own; rare: one step of a rank in 100, by up to 100 K; trace:FILE: steps last "
                 "as long as a rank computed between two collectives that MPIACTOR_TRACE recorded")
      ->type_name("independent|persistent|rare|trace:FILE")
      ->capture_default_str();
  app.add_option("--noise-seed", settings.seed, "seed of the noise")->capture_default_str();
}

void check_noise(const cli::App& app, const NoiseSettings& settings) {
  if (settings.typed == kTracePrefix) {
    refuse("--noise", "trace: names no file; allowed is trace:FILE");
  }
  if (settings.is_recorded()) {
    for (const char* option : {"--noise-us", "--noise-seed"}) {
      if (app.count(option) > 0) {
        refuse(option, "not together with --noise trace:FILE, whose times are as recorded");
      }
    }
    return;
  }
  try {
    parse_noise(settings.typed);
  } catch (const std::invalid_argument& error) {
    refuse("--noise", fmt::format("{} or trace:FILE", error.what()));
  }
  for (const char* option : {"--noise", "--noise-seed"}) {
    if (app.count(option) > 0 && app.count("--noise-us") == 0) {
      refuse(option, "allowed with --noise-us K, the noise's scale");
    }
  }
}

}  // namespace mpiactor::apps
