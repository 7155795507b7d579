// What the command lines of the benchmark programs have in common.
#ifndef MPIACTOR_BENCH_COMMON_OPTIONS_H_
#define MPIACTOR_BENCH_COMMON_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bench/arrival_pattern.h"
#include "bench/clock.h"

namespace mpiactor::cli {
class App;
}

namespace mpiactor::bench {

// Of a program that makes ranks late and compares contenders.
struct CommonOptions {
  ArrivalPlan arrivals;  // its `nodes` are empty for the machine's
  int fixed_root = 0;
  std::int64_t margin_ns = 0;  // 0: to be chosen by default_margin_ns
  ClockMethod clock = ClockMethod::kAuto;
  std::vector<std::string> contenders;  // empty: the job as it was launched, called `label`
  std::string label;
  std::string json_path;  // empty: no JSON
};

// The same options as typed.
struct CommonTyped {
  double skew_ms = 0;
  std::string pattern = "random";
  std::string single = "rotate";
  std::string nodes;
  int root = 0;
  double margin_ms = 0;
  std::uint64_t seed = 1;
  std::string clock = "auto";
  std::string contenders;
  std::string label = "as-launched";
  std::string json_path;
};

// The declarations are several, since help lists options in the order in which they are declared.
// Those that are missing here have a help text of each program's own.

// --skew-ms, --pattern, --single and --nodes.
void declare_arrivals(cli::App& app, CommonTyped& typed);
void declare_margin(cli::App& app, CommonTyped& typed);
void declare_clock(cli::App& app, std::string& clock);
// --contenders, which alternate as `turns` says, --label and --json.
void declare_contenders(cli::App& app, CommonTyped& typed, const std::string& turns);
void declare_json(cli::App& app, std::string& path);

// Makes `options` of what was typed for a job of `ranks` ranks. Throws std::invalid_argument naming
// the option.
void interpret_common(const CommonTyped& typed, int ranks, CommonOptions& options);

// Of a name that declare_clock allows.
ClockMethod clock_method(const std::string& name);

// Margin of the common start where none was given. Where every rank has a core of its own and none
// is to be late, ranks stay awake from the announcement to the start, and caches warm; elsewhere
// sleeping ranks need time to hear the announcement.
std::int64_t default_margin_ns(bool core_for_each_rank, std::int64_t skew_ns);

}  // namespace mpiactor::bench

#endif  // MPIACTOR_BENCH_COMMON_OPTIONS_H_
