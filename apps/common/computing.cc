#include "apps/common/computing.h"


#include "third_party/cli11/cli.h"

namespace mpiactor::apps {

void add_computing(cli::App& app, Computing& computing) {
  app.add_choice("--computing", computing.is_asleep, {{"real", false}, {"asleep", true}},
                 "real; asleep: every step sleeps for as long as it was measured to take, and "
                 "there are no results")
      ->type_name("real|asleep");
  app.add_option("--slower", computing.slower,
                 "with --computing asleep: steps last F times as long, as on slower cores")
      ->check(cli::Range(1.0, 1000.0))
      ->type_name("F")
      ->capture_default_str();
  app.add_option("--costs", computing.costs_file,
                 "with --computing asleep: do not measure, but take the costs of an earlier run, "
                 "which wrote this file by --json")
      ->type_name("FILE");
  add_noise(app, computing.noise);
}

void check_computing(const cli::App& app, const Computing& computing) {
  check_noise(app, computing.noise);
  for (const char* option : {"--slower", "--costs"}) {
    if (app.count(option) == 0) continue;
    if (!computing.is_asleep) {
      throw cli::ValidationError(option, "allowed with --computing asleep alone");
    }
    if (computing.noise.is_recorded()) {
      throw cli::ValidationError(
          option, "not together with --noise trace:FILE, whose times are as recorded");
    }
  }
}

void refuse_with_asleep(const Computing& computing, bool is_given, const std::string& option,
                        const std::string& why) {
  if (!computing.is_asleep || !is_given) return;
  throw cli::ValidationError("--computing asleep", "not together with " + option + ": " + why);
}

}  // namespace mpiactor::apps
