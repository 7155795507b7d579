#include "bench/loop/loop_options.h"

#include <cmath>
#include <string>

#include "bench/byte_size.h"
#include "bench/command_line.h"
#include "bench/common_options.h"
#include "third_party/cli11/cli.h"

namespace mpiactor::bench {
namespace {

constexpr double kNsPerUs = 1e3;

// Options as typed.
struct Typed {
  std::string sizes = "4K,12K,40K,256K";
  std::int64_t steps = 100;
  std::int64_t warmup = 10;
  double step_us = 8000;
  double noise_us = 3000;
  std::string noise = "independent";
  int root_every = 10;
  std::uint64_t seed = 1;
  std::string nodes;
  std::string clock = "auto";
  std::string label = "as-launched";
  std::string json_path;
};

void declare(cli::App& app, Typed& typed) {
  app.add_option("--sizes", typed.sizes, "Bytes of a broadcast, with K, M or G; a list")
      ->capture_default_str();
  app.add_option("--steps", typed.steps, "Steps that count, of each size")
      ->check(cli::Range(1, 10'000'000))
      ->capture_default_str();
  app.add_option("--warmup", typed.warmup, "Steps before them")
      ->check(cli::Range(0, 10'000'000))
      ->capture_default_str();
  app.add_option("--step-us", typed.step_us, "A rank sleeps so long before each broadcast")
      ->check(cli::Range(0.0, 60e6))
      ->capture_default_str();
  app.add_option("--noise-us", typed.noise_us, "K: scale of the noise, by which it sleeps longer")
      ->check(cli::Range(0.0, 60e6))
      ->capture_default_str();
  app.add_option("--noise", typed.noise,
                 "independent: each rank and step up to K; persistent: each rank a share of K of "
                 "its own; rare: one step of a rank in 100, by up to 100 K")
      ->capture_default_str();
  app.add_option("--root-every", typed.root_every,
                 "Steps with the same root; then the next rank is root")
      ->check(cli::Range(1, 10'000'000))
      ->capture_default_str();
  app.add_option("--seed", typed.seed, "Seed of the noise")->capture_default_str();
  app.add_option("--nodes", typed.nodes,
                 "Node of each rank, to be reported: 4 (equal blocks), ppn:2, cyclic:4 or a list; "
                 "default: the machine's")
      ->envname("MPIACTOR_NODES");
  declare_clock(app, typed.clock);
  app.add_option("--label", typed.label, "Name of the results")->capture_default_str();
  declare_json(app, typed.json_path);
}

LoopOptions interpret(const Typed& typed, int ranks) {
  LoopOptions options;
  options.sizes_bytes = read_option("--sizes", [&] { return parse_byte_sizes(typed.sizes); });
  options.shape = {.ranks = ranks,
                   .warmup = typed.warmup,
                   .steps = typed.steps,
                   .step_ns = std::llround(typed.step_us * kNsPerUs),
                   .root_every = typed.root_every};
  const auto kind = read_option("--noise", [&] { return apps::parse_noise(typed.noise); });
  options.noise = {kind, std::llround(typed.noise_us * kNsPerUs), typed.seed};
  if (!typed.nodes.empty()) {
    options.nodes = read_option("--nodes", [&] { return parse_node_layout(typed.nodes, ranks); });
  }
  options.clock = clock_method(typed.clock);
  options.label = typed.label;
  options.json_path = typed.json_path;
  return options;
}

}  // namespace

ParsedLoopOptions parse_loop_options(int argc, const char* const* argv, int ranks) {
  cli::App app{
      "Times MPI_Bcast in a loop whose ranks compute with noise: every step each rank sleeps, some "
      "longer than others, and meets the others in a broadcast.",
      "loop_run"};
  Typed typed;
  declare(app, typed);
  return parse_command_line<LoopOptions>(app, argc, argv, [&] { return interpret(typed, ranks); });
}

}  // namespace mpiactor::bench
