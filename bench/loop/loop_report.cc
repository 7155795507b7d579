#include "bench/loop/loop_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bench/byte_size.h"

namespace mpiactor::bench {
namespace {

double to_us(std::int64_t ns) { return static_cast<double>(ns) / 1e3; }

}  // namespace

std::string format_loop_header(const LoopOptions& options, const JobFacts& facts) {
  const LoopShape& shape = options.shape;
  return fmt::format(
      "loop_run: {} ranks on {} nodes, {} of them on this machine's {} cores, {}\n"
      "loop_run: {} steps of {} us, {} noise of {} us, seed {}, another root every {} steps, {}\n"
      "Means over ranks and steps, us; floor: what the noise costs if a broadcast takes no time.\n"
      "{:>6} | {:>10} {:>10} {:>10} | {:>10} {:>10} {:>10} | {:>10} {:>12} {:>6}\n",
      facts.ranks, node_count(options.nodes), facts.ranks_per_kernel, facts.cores,
      facts.mpi_library, shape.steps, to_us(shape.step_ns), noise_name(options.noise.kind()),
      to_us(options.noise.scale_ns()), options.noise.seed(), shape.root_every, options.label,
      "size", "in call", "floor", "net", "excess", "others'", "root in", "spread", "whole", "late");
}

std::string format_loop_row(const LoopSeries& series, const LoopFigures& figures) {
  return fmt::format(
      "{:>6} | {:>10.1f} {:>10.1f} {:>10.1f} | {:>10.1f} {:>10.1f} {:>10.1f} | {:>10.1f} "
      "{:>12.1f} {:>6}\n",
      format_byte_size(series.bytes), figures.in_call_us, figures.floor_us, figures.net_us,
      figures.excess_us, figures.others_excess_us, figures.root_in_call_us, figures.spread_us,
      figures.whole_us, series.late_entries);
}

nlohmann::ordered_json loop_report_json(const LoopOptions& options, const JobFacts& facts) {
  const LoopShape& shape = options.shape;
  return {{"benchmark", "loop"},
          {"settings",
           {{"steps", shape.steps},
            {"warmup", shape.warmup},
            {"step_us", to_us(shape.step_ns)},
            {"noise", noise_name(options.noise.kind())},
            {"noise_us", to_us(options.noise.scale_ns())},
            {"seed", options.noise.seed()},
            {"root_every", shape.root_every}}},
          {"job", job_json(facts, options.nodes)},
          {"results", nlohmann::ordered_json::array()}};
}

nlohmann::ordered_json loop_result_json(const LoopOptions& options, const LoopSeries& series,
                                        const LoopFigures& figures) {
  return {{"bytes", series.bytes},
          {"contender", options.label},
          {"steps", series.calls.size()},
          {"late_entries", series.late_entries},
          {"in_call_us", figures.in_call_us},
          {"floor_us", figures.floor_us},
          {"net_us", figures.net_us},
          {"excess_us", figures.excess_us},
          {"others_excess_us", figures.others_excess_us},
          {"root_in_call_us", figures.root_in_call_us},
          {"spread_us", figures.spread_us},
          {"whole_us", figures.whole_us},
          {"floor_whole_us", figures.floor_whole_us}};
}

}  // namespace mpiactor::bench
