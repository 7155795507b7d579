#include "apps/common/computing.h"

#include <CLI/CLI.hpp>
#include <map>

#include "apps/common/number_range.h"

namespace mpiactor::apps {

void add_computing(CLI::App& app, Computing& computing) {
  app.add_option("--computing", computing.is_asleep,
                 "real; asleep: every step sleeps for as long as it was measured to take, and "
                 "there are no results")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, bool>{{"real", false}, {"asleep", true}}, CLI::ignore_case))
      ->type_name("real|asleep");
  app.add_option("--slower", computing.slower,
                 "with --computing asleep: steps last F times as long, as on slower cores")
      ->check(number_range(1.0, 1000.0))
      ->type_name("F")
      ->capture_default_str();
  app.add_option("--costs", computing.costs_file,
                 "with --computing asleep: do not measure, but take the costs of an earlier run, "
                 "which wrote this file by --json")
      ->type_name("FILE");
  add_noise(app, computing.noise);
}

void check_computing(const CLI::App& app, const Computing& computing) {
  check_noise(app, computing.noise);
  for (const char* option : {"--slower", "--costs"}) {
    if (app.count(option) == 0) continue;
    if (!computing.is_asleep) {
      throw CLI::ValidationError(option, "allowed with --computing asleep alone");
    }
    if (computing.noise.is_recorded()) {
      throw CLI::ValidationError(
          option, "not together with --noise trace:FILE, whose times are as recorded");
    }
  }
}

void refuse_with_asleep(const Computing& computing, bool is_given, const std::string& option,
                        const std::string& why) {
  if (!computing.is_asleep || !is_given) return;
  throw CLI::ValidationError("--computing asleep", "not together with " + option + ": " + why);
}

}  // namespace mpiactor::apps
