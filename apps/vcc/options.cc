#include "apps/vcc/options.h"

#include <string>

#include "apps/vcc/random_data.h"
#include "third_party/cli11/cli.h"

namespace mpiactor::vcc {
namespace {

constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();

void add_input(cli::App& app, Options& options) {
  auto input = app.add_option_group("input", "the data: exactly one of");
  input.add_option("--data", options.data_file,
                   "data file: CSV, or a NumPy array (.npy) of observations x variables");
  const cli::Option random =
      input.add_option("--random", options.random_variables, "V random variables")
          ->check(cli::Range(std::int32_t{1}, kMostRandomVariables))
          ->type_name("V");
  input.require_option(1);
  app.add_option("--observations", options.random_observations, "of each random variable")
      ->check(cli::Range(std::int32_t{2}, kMost))
      ->needs(random)
      ->type_name("O")
      ->capture_default_str();
  app.add_option("--missing", options.random_missing,
                 "expected share of random values that are missing")
      ->check(cli::Range(0.0, kMostMissing))
      ->needs(random)
      ->type_name("P")
      ->capture_default_str();
}

// Throws what parsing throws.
void check_asleep(const Options& options) {
  const std::string why = "no covariances are computed";
  apps::refuse_with_asleep(options.computing, options.verify_variables > 0, "--verify", why);
  apps::refuse_with_asleep(options.computing, !options.output_prefix.empty(), "--output", why);
}

}  // namespace

ParsedOptions parse_options(int argc, const char* const* argv) {
  Options options;
  cli::App app(
      "Covariance and correlation of all pairs of variables over MPI ranks: block columns, the "
      "owner of each block broadcasts it.",
      "vcc");
  add_input(app, options);
  app.add_option("--seed", options.seed,
                 "seed of --random, of the variables of --verify and of --computing asleep")
      ->capture_default_str();
  app.add_option("--block", options.block, "variables that one broadcast carries, at most")
      ->check(cli::Range(1, 4096))
      ->type_name("B")
      ->capture_default_str();
  app.add_option("--largest", options.largest, "how many of the largest correlations to show")
      ->check(cli::Range(1, 1'000'000))
      ->type_name("L")
      ->capture_default_str();
  apps::add_computing(app, options.computing);
  app.add_option("--verify", options.verify_variables,
                 "check K random variables (all without K) with all others against a serial "
                 "computation")
      ->check(cli::Range(std::int32_t{1}, kMost))
      ->expected(0, 1)
      ->default_str(std::to_string(kVerifyAll))
      ->type_name("K");
  app.add_option("--output", options.output_prefix,
                 "write the matrices to PREFIX_covariance.npy and PREFIX_correlation.npy")
      ->type_name("PREFIX");
  apps::add_outputs(app, options.json_file, options.progress);
  const apps::Parsing parsing = apps::parse(app, argc, argv, [&] {
    apps::check_computing(app, options.computing);
    check_asleep(options);
  });
  return {parsing, options};
}

}  // namespace mpiactor::vcc
