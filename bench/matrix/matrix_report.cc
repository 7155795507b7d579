#include "bench/matrix/matrix_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bench/byte_size.h"
#include "bench/json_report.h"

namespace mpiactor::bench {
namespace {

constexpr double kNsPerMs = 1e6;

std::string size_text(const Cell& cell) {
  return cell.bytes == 0 ? "-" : format_byte_size(cell.bytes);
}

const char* roots_text(Roots roots) {
  switch (roots) {
    case Roots::kFixed:
      return "fixed";
    case Roots::kRotate:
      return "rotate";
    case Roots::kBoth:
      break;
  }
  return "both";
}

// The two kinds of roots must be told apart wherever both may stand.
std::string row_name(const Cell& cell) {
  return cell.rotating ? fmt::format("{}@rotate", cell.collective->name) : cell.collective->name;
}

std::int64_t total_bytes(const Cell& cell, int ranks) {
  const BufferBytes needed = needed_bytes(cell, ranks);
  return needed.send + needed.receive;
}

}  // namespace

std::string format_matrix_header(const MatrixOptions& options, const JobFacts& facts) {
  return fmt::format(
      "collectives_run: {} ranks on {} nodes, {} of them on this machine's {} cores, {}\n"
      "collectives_run: arrivals {}, elements {}, clock {}\n"
      "All times in us; last exit: median over calls; excess: exit - last needed arrival.\n"
      "{:>20} {:>6} {:>12} {:>6} | {:>12} {:>12} | {:>12} {:>12} {:>12}\n"
      "{:>20} {:>6} {:>12} {:>6} | {:>12} {:>12} | {:>12} {:>12} {:>12}\n",
      facts.ranks, node_count(options.arrivals.nodes), facts.ranks_per_kernel, facts.cores,
      facts.mpi_library, arrivals_text(options.arrivals), options.element.name,
      facts.clock_estimated ? "estimated" : "shared", "", "", "", "", "last exit -", "last exit -",
      "excess", "root's", "others'", "collective", "size", "contender", "calls", "start",
      "last arrival", "mean", "mean", "mean");
}

std::string format_cell(const CellSeries& series, const CellSummary& summary) {
  return fmt::format(
      "{:>20} {:>6} {:>12} {:>6} | {:>12.2f} {:>12.2f} | {:>12.2f} {:>12.2f} {:>12.2f}\n",
      row_name(series.cell), size_text(series.cell), series.contender, series.calls.size(),
      summary.last_exit_after_start_us.p50, summary.last_exit_after_last_arrival_us.p50,
      summary.excess_us.mean, summary.root_excess_us.mean, summary.others_excess_us.mean);
}

std::string format_skipped(const Cell& cell, int ranks, std::int64_t limit_bytes) {
  return fmt::format("{:>20} {:>6} skipped: needs {} a rank, {} are allowed\n", row_name(cell),
                     size_text(cell), format_byte_size(total_bytes(cell, ranks)),
                     format_byte_size(limit_bytes));
}

nlohmann::ordered_json matrix_report_json(const MatrixOptions& options, const JobFacts& facts) {
  return {{"benchmark", "collectives"},
          {"settings",
           {{"pattern", pattern_name(options.arrivals.pattern)},
            {"skew_ms", static_cast<double>(options.arrivals.skew_ns) / kNsPerMs},
            {"roots", roots_text(options.roots)},
            {"root", options.fixed_root},
            {"type", options.element.name},
            {"buffer_offset_bytes", options.buffer_offset_bytes},
            {"under_way", options.under_way},
            {"sweep_bytes", options.sweep_bytes},
            {"cell_ms", static_cast<double>(options.cell_ns) / kNsPerMs},
            {"reps", options.repetitions},
            {"min_reps", options.least_repetitions},
            {"seed", options.arrivals.seed},
            {"margin_ms", static_cast<double>(options.margin_ns) / kNsPerMs},
            {"verify", options.verify}}},
          {"job", job_json(facts, options.arrivals.nodes)},
          {"results", nlohmann::ordered_json::array()},
          {"skipped", nlohmann::ordered_json::array()}};
}

nlohmann::ordered_json cell_json(const CellSeries& series, const CellSummary& summary) {
  return {{"collective", series.cell.collective->name},
          {"rooted", is_rooted(*series.cell.collective)},
          {"roots", !is_rooted(*series.cell.collective) ? ""
                    : series.cell.rotating              ? "rotate"
                                                        : "fixed"},
          {"bytes", series.cell.bytes},
          {"contender", series.contender},
          {"calls", series.calls.size()},
          {"late_entries", series.late_entries},
          {"last_exit_after_start_us", distribution_json(summary.last_exit_after_start_us)},
          {"last_exit_after_last_arrival_us",
           distribution_json(summary.last_exit_after_last_arrival_us)},
          {"excess_us", distribution_json(summary.excess_us)},
          {"root_excess_us", distribution_json(summary.root_excess_us)},
          {"others_excess_us", distribution_json(summary.others_excess_us)},
          {"in_call_us", distribution_json(summary.in_call_us)},
          {"arrival_spread_us", distribution_json(summary.arrival_spread_us)}};
}

nlohmann::ordered_json skipped_json(const Cell& cell, int ranks, std::int64_t limit_bytes) {
  return {{"collective", cell.collective->name},
          {"bytes", cell.bytes},
          {"needed_bytes", total_bytes(cell, ranks)},
          {"limit_bytes", limit_bytes}};
}

}  // namespace mpiactor::bench
