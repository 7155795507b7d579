#include "bench/report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bench/byte_size.h"
#include "bench/json_report.h"

namespace mpiactor::bench {
namespace {

constexpr double kNsPerMs = 1e6;
// Above this share of late entries the arrivals were not those of the pattern.
constexpr double kTolerableLateShare = 0.05;

std::string root_text(const Options& options) {
  return options.rotate_roots ? "rotate" : fmt::format("fixed at {}", options.fixed_root);
}

std::string single_text(const SingledOut& choice) {
  switch (choice.kind) {
    case SingledOut::Kind::kRoot:
      return "root";
    case SingledOut::Kind::kRank:
      return fmt::format("{}", choice.rank);
    case SingledOut::Kind::kRotate:
      break;
  }
  return "rotate";
}

std::size_t entries_of(const Series& series) {
  return series.calls.empty() ? 0 : series.calls.size() * series.calls.front().arrival_ns.size();
}

}  // namespace

std::string format_header(const Options& options, const JobFacts& facts) {
  const std::string clock =
      facts.clock_estimated ? fmt::format("estimated, within {:.1f} us", facts.clock_uncertainty_us)
                            : std::string("shared");
  return fmt::format(
      "upa: {} ranks on {} nodes, {} of them on this machine's {} cores, {}\n"
      "upa: arrivals {}, roots {}, {} repetitions after {} to warm up, seed {}, clock {}\n"
      "All times in us; excess over non-root ranks; last exit: median over repetitions.\n"
      "{:>6} {:>12} | {:>10} | {:>10} {:>10} {:>10} {:>10} | {:>10} | {:>12} {:>12}\n"
      "{:>6} {:>12} | {:>10} | {:>10} {:>10} {:>10} {:>10} | {:>10} | {:>12} {:>12}\n",
      facts.ranks, node_count(options.arrivals.nodes), facts.ranks_per_kernel, facts.cores,
      facts.mpi_library, arrivals_text(options.arrivals), root_text(options), options.repetitions,
      options.warmup, options.arrivals.seed, clock, "", "", "in call", "excess", "", "", "", "root",
      "last exit -", "last exit -", "size", "contender", "mean", "mean", "p50", "p95", "max",
      "mean", "last arrival", "root entry");
}

std::string format_row(const Series& series, const CallSummary& summary) {
  return fmt::format(
      "{:>6} {:>12} | {:>10.1f} | {:>10.1f} {:>10.1f} {:>10.1f} {:>10.1f} | {:>10.1f} | {:>12.2f} "
      "{:>12.2f}\n",
      format_byte_size(series.bytes), series.contender, summary.in_call_us.mean,
      summary.excess_us.mean, summary.excess_us.p50, summary.excess_us.p95, summary.excess_us.max,
      summary.root_in_call_us.mean, summary.last_exit_after_last_arrival_us.p50,
      summary.last_exit_after_root_entry_us.p50);
}

std::string format_warning(const Series& series) {
  const std::size_t entries = entries_of(series);
  const double limit = kTolerableLateShare * static_cast<double>(entries);
  if (static_cast<double>(series.late_entries) <= limit) return {};
  return fmt::format(
      "upa: warning: {}, {}: {} of {} entries came over 1 ms after their planned time; the machine "
      "is busy, or --margin-ms is too short\n",
      format_byte_size(series.bytes), series.contender, series.late_entries, entries);
}

nlohmann::ordered_json report_json(const Options& options, const JobFacts& facts) {
  return {{"benchmark", "upa"},
          {"settings",
           {{"pattern", pattern_name(options.arrivals.pattern)},
            {"skew_ms", static_cast<double>(options.arrivals.skew_ns) / kNsPerMs},
            {"single", single_text(options.arrivals.singled_out)},
            {"roots", options.rotate_roots ? "rotate" : "fixed"},
            {"root", options.fixed_root},
            {"reps", options.repetitions},
            {"warmup", options.warmup},
            {"seed", options.arrivals.seed},
            {"margin_ms", static_cast<double>(options.margin_ns) / kNsPerMs}}},
          {"job", job_json(facts, options.arrivals.nodes)},
          {"results", nlohmann::ordered_json::array()}};
}

nlohmann::ordered_json result_json(const Series& series, const CallSummary& summary) {
  return {
      {"bytes", series.bytes},
      {"contender", series.contender},
      {"calls", series.calls.size()},
      {"late_entries", series.late_entries},
      {"in_call_us", distribution_json(summary.in_call_us)},
      {"slowest_rank_in_call_us", summary.slowest_rank_in_call_us},
      {"excess_us", distribution_json(summary.excess_us)},
      {"root_in_call_us", distribution_json(summary.root_in_call_us)},
      {"last_exit_after_last_arrival_us",
       distribution_json(summary.last_exit_after_last_arrival_us)},
      {"last_exit_after_root_entry_us", distribution_json(summary.last_exit_after_root_entry_us)},
      {"arrival_spread_us", distribution_json(summary.arrival_spread_us)}};
}

}  // namespace mpiactor::bench
