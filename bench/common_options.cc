#include "bench/common_options.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <stdexcept>

#include "bench/command_line.h"
#include "bench/contender.h"
#include "bench/node_map.h"

namespace mpiactor::bench {
namespace {

constexpr double kNsPerMs = 1e6;

}  // namespace

void declare_arrivals(cli::App& app, CommonTyped& typed) {
  app.add_option("--skew-ms", typed.skew_ms,
                 "Longest delay of an arrival; 0 = all ranks enter together")
      ->check(cli::Range(0.0, 60000.0))
      ->capture_default_str();
  app.add_option("--pattern", typed.pattern, "Who comes late")
      ->check(cli::IsMember(pattern_names()))
      ->capture_default_str();
  app.add_option("--single", typed.single,
                 "Rank that one-late and one-early single out: rotate (each non-root rank in "
                 "turn), root, or a rank")
      ->capture_default_str();
  app.add_option("--nodes", typed.nodes,
                 "Node of each rank, for late-leaders and late-node: 4 (equal blocks), ppn:2, "
                 "cyclic:4 or a list; default: the machine's")
      ->envname("MPIACTOR_NODES");
}

void declare_margin(cli::App& app, CommonTyped& typed) {
  app.add_option("--margin-ms", typed.margin_ms,
                 "From rank 0's announcement of a start to the start itself; default: 2, or 0.05 "
                 "without skew on a core for each rank")
      ->check(cli::Range(0.001, 10000.0));
}

void declare_clock(cli::App& app, std::string& clock) {
  app.add_option("--clock", clock,
                 "same: all ranks read one clock; estimate: measure offsets; auto: see for itself")
      ->check(cli::IsMember({"auto", "same", "estimate"}))
      ->capture_default_str();
}

void declare_contenders(cli::App& app, CommonTyped& typed, const std::string& turns) {
  app.add_option("--contenders", typed.contenders,
                 fmt::format("Alternate these {} (off,static,competitive); needs the preloaded "
                             "runtime",
                             turns));
  app.add_option("--label", typed.label, "Name of the only contender where --contenders is absent")
      ->capture_default_str();
  declare_json(app, typed.json_path);
}

void declare_json(cli::App& app, std::string& path) {
  app.add_option("--json", path, "Also write the results to this file");
}

void interpret_common(const CommonTyped& typed, int ranks, CommonOptions& options) {
  options.arrivals.pattern = parse_pattern(typed.pattern);
  options.arrivals.skew_ns = std::llround(typed.skew_ms * kNsPerMs);
  options.arrivals.seed = typed.seed;
  options.arrivals.singled_out =
      read_option("--single", [&] { return parse_singled_out(typed.single, ranks); });
  if (!typed.nodes.empty()) {
    options.arrivals.nodes =
        read_option("--nodes", [&] { return parse_node_layout(typed.nodes, ranks); });
  }
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
}

ClockMethod clock_method(const std::string& name) {
  static const std::map<std::string, ClockMethod> methods = {{"auto", ClockMethod::kAuto},
                                                             {"same", ClockMethod::kSame},
                                                             {"estimate", ClockMethod::kEstimate}};
  return methods.at(name);
}

std::int64_t default_margin_ns(bool core_for_each_rank, std::int64_t skew_ns) {
  return core_for_each_rank && skew_ns == 0 ? 50'000 : 2'000'000;
}

}  // namespace mpiactor::bench
