// loop_run: what MPI_Bcast costs a program whose ranks compute with noise.
//
// A plain MPI program: it needs no runtime, and measures whatever MPI it was launched with.
#include <fmt/format.h>
#include <mpi.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "bench/clock.h"
#include "bench/job_facts.h"
#include "bench/json_report.h"
#include "bench/loop/floor.h"
#include "bench/loop/loop_figures.h"
#include "bench/loop/loop_options.h"
#include "bench/loop/loop_report.h"
#include "bench/loop/loop_runner.h"
#include "bench/program.h"

namespace mpiactor::bench {
namespace {

constexpr const char* kProgram = "loop_run";

// Gives the exit code.
int measure_all(const LoopOptions& options, const JobFacts& facts, LoopRunner& runner, bool print,
                JsonReport& json) {
  if (print) fmt::print("{}", format_loop_header(options, facts));
  nlohmann::ordered_json report = loop_report_json(options, facts);
  apps::BroadcastFloor floor;
  if (print) {
    floor = play_floor(options.shape, [&](int rank, std::int64_t step) {
      return options.noise.draw_ns(rank, step);
    });
  }
  for (const std::int64_t bytes : options.sizes_bytes) {
    const LoopSeries series = runner.run(bytes);
    if (!print) continue;
    const LoopFigures figures = figures_of(series.calls, series.begin_ns, floor);
    fmt::print("{}", format_loop_row(series, figures));
    report["results"].push_back(loop_result_json(options, series, figures));
    std::fflush(stdout);
  }
  return json.write(report);
}

int run(LoopOptions& options, MPI_Comm sync_comm) {
  int rank = 0;
  PMPI_Comm_rank(sync_comm, &rank);
  JsonReport json(kProgram, options.json_path);
  if (!json.open(sync_comm)) return kFailure;
  if (options.nodes.empty()) options.nodes = machine_nodes(sync_comm);
  CommonClock clock(sync_comm, options.clock);
  const JobFacts facts = collect_facts(sync_comm, clock);
  LoopRunner runner(options, sync_comm, clock);
  return measure_all(options, facts, runner, rank == 0, json);
}

}  // namespace
}  // namespace mpiactor::bench

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  using namespace mpiactor::bench;
  const int exit_code = parse_and_run(kProgram, argc, argv, parse_loop_options, run);
  MPI_Finalize();
  return exit_code;
}
