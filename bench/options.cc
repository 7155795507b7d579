#include "bench/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "apps/common/number_range.h"
#include "bench/byte_size.h"
#include "bench/command_line.h"
#include "bench/contender.h"

namespace mpiactor::bench {
namespace {

constexpr double kNsPerMs = 1e6;

// Options as typed; what needs the number of ranks or other options is read from these afterwards.
struct Typed {
  std::string sizes = "1K,64K,1M";
  double skew_ms = 20;
  std::string pattern = "random";
  std::string single = "rotate";
  std::string nodes;
  std::string roots = "rotate";
  int root = 0;
  int repetitions = 50;
  int warmup = -1;
  double margin_ms = 0;
  std::uint64_t seed = 1;
  std::string clock = "auto";
  std::string contenders;
  std::string label = "as-launched";
  std::string json_path;
};

void declare(CLI::App& app, Typed& typed) {
  app.add_option("--sizes", typed.sizes, "Message sizes in bytes, with K, M or G")
      ->capture_default_str();
  app.add_option("--skew-ms", typed.skew_ms,
                 "Longest delay of an arrival; 0 = all ranks enter together")
      ->check(apps::number_range(0.0, 60000.0))
      ->capture_default_str();
  app.add_option("--pattern", typed.pattern, "Who comes late")
      ->check(CLI::IsMember(pattern_names()))
      ->capture_default_str();
  app.add_option("--single", typed.single,
                 "Rank that one-late and one-early single out: rotate (each non-root rank in "
                 "turn), root, or a rank")
      ->capture_default_str();
  app.add_option("--nodes", typed.nodes,
                 "Node of each rank, for late-leaders and late-node: 4 (equal blocks), ppn:2, "
                 "cyclic:4 or a list; default: the machine's")
      ->envname("MPIACTOR_NODES");
  app.add_option("--roots", typed.roots, "rotate: repetition i has root i mod ranks; or fixed")
      ->check(CLI::IsMember({"rotate", "fixed"}))
      ->capture_default_str();
  app.add_option("--root", typed.root, "The root with --roots fixed")->capture_default_str();
  app.add_option("--reps", typed.repetitions, "Measured repetitions for each size")
      ->check(CLI::Range(1, 10'000'000))
      ->capture_default_str();
  app.add_option("--warmup", typed.warmup,
                 "Repetitions before them, without delays and not measured; default: 5, or with "
                 "rotating roots one for each rank (5 to 64)")
      ->check(CLI::Range(0, 10'000'000));
  app.add_option("--margin-ms", typed.margin_ms,
                 "From rank 0's announcement of a start to the start itself; default: 2, or 0.05 "
                 "without skew on a core for each rank")
      ->check(apps::number_range(0.001, 10000.0));
  app.add_option("--seed", typed.seed, "Seed of the random delays")->capture_default_str();
  app.add_option("--clock", typed.clock,
                 "same: all ranks read one clock; estimate: measure offsets; auto: see for itself")
      ->check(CLI::IsMember({"auto", "same", "estimate"}))
      ->capture_default_str();
  app.add_option("--contenders", typed.contenders,
                 "Alternate these call by call (off,static,competitive); needs the preloaded "
                 "runtime");
  app.add_option("--label", typed.label, "Name of the only contender where --contenders is absent")
      ->capture_default_str();
  app.add_option("--json", typed.json_path, "Also write the results to this file");
}

ClockMethod clock_method(const std::string& name) {
  static const std::map<std::string, ClockMethod> methods = {{"auto", ClockMethod::kAuto},
                                                             {"same", ClockMethod::kSame},
                                                             {"estimate", ClockMethod::kEstimate}};
  return methods.at(name);
}

Options interpret(const Typed& typed, int ranks) {
  Options options;
  options.sizes_bytes = read_option("--sizes", [&] { return parse_byte_sizes(typed.sizes); });
  options.arrivals.pattern = parse_pattern(typed.pattern);
  options.arrivals.skew_ns = std::llround(typed.skew_ms * kNsPerMs);
  options.arrivals.seed = typed.seed;
  options.arrivals.singled_out =
      read_option("--single", [&] { return parse_singled_out(typed.single, ranks); });
  options.node_layout = typed.nodes;
  if (!typed.nodes.empty()) {
    options.arrivals.nodes =
        read_option("--nodes", [&] { return parse_node_layout(typed.nodes, ranks); });
  }
  options.repetitions = typed.repetitions;
  options.rotate_roots = typed.roots == "rotate";
  options.warmup = typed.warmup >= 0      ? typed.warmup
                   : options.rotate_roots ? std::clamp(ranks, 5, 64)
                                          : 5;
  if (typed.root < 0 || typed.root >= ranks) {
    throw std::invalid_argument(
        fmt::format("--root: {} is not a rank of this job: 0 to {}", typed.root, ranks - 1));
  }
  options.fixed_root = typed.root;
  options.margin_ns = std::llround(typed.margin_ms * kNsPerMs);
  options.clock = clock_method(typed.clock);
  if (!typed.contenders.empty()) {
    options.contenders =
        read_option("--contenders", [&] { return parse_contenders(typed.contenders); });
  }
  options.label = typed.label;
  options.json_path = typed.json_path;
  return options;
}

}  // namespace

std::int64_t default_margin_ns(bool core_for_each_rank, std::int64_t skew_ns) {
  return core_for_each_rank && skew_ns == 0 ? 50'000 : 2'000'000;
}

ParsedOptions parse_options(int argc, const char* const* argv, int ranks) {
  CLI::App app{"Times MPI_Bcast when its ranks do not arrive together.", "upa"};
  Typed typed;
  declare(app, typed);
  return parse_command_line<Options>(app, argc, argv, [&] { return interpret(typed, ranks); });
}

}  // namespace mpiactor::bench
