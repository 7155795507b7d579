// collectives_run: what every collective costs at many sizes, in one job.
//
// A plain MPI program: it needs no runtime, and measures whatever MPI it was launched with.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/clock.h"
#include "bench/common_options.h"
#include "bench/contender.h"
#include "bench/job_facts.h"
#include "bench/json_report.h"
#include "bench/matrix/cell_plan.h"
#include "bench/matrix/cell_runner.h"
#include "bench/matrix/matrix_options.h"
#include "bench/matrix/matrix_report.h"
#include "bench/program.h"

namespace mpiactor::bench {
namespace {

constexpr const char* kProgram = "collectives_run";

// MemAvailable of this machine; 0 where the system does not say.
std::int64_t available_memory_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string word;
  while (file >> word) {
    std::int64_t kib = 0;
    if (word == "MemAvailable:" && file >> kib) return kib * 1024;
  }
  return 0;
}

// What a rank's buffers may need: as the user allows, and of each machine's free memory half, since
// the MPI library and staging need theirs.
std::int64_t memory_limit_bytes(const MatrixOptions& options, const CommonClock& clock,
                                MPI_Comm comm) {
  const std::int64_t available = available_memory_bytes();
  std::int64_t limit = options.memory_limit_bytes;
  if (available > 0) limit = std::min(limit, available / 2 / clock.ranks_of_this_kernel());
  std::int64_t least = limit;
  PMPI_Allreduce(&limit, &least, 1, MPI_INT64_T, MPI_MIN, comm);
  return least;
}

// Gives the exit code.
int measure_all(const MatrixOptions& options, const JobFacts& facts, const CellPlan& plan,
                std::int64_t limit_bytes, CellRunner& runner, bool print, JsonReport& json) {
  if (print) fmt::print("{}", format_matrix_header(options, facts));
  nlohmann::ordered_json report = matrix_report_json(options, facts);
  for (const Cell& cell : plan.cells) {
    for (const CellSeries& series : runner.run(cell)) {
      if (!print) continue;
      const CellSummary summary = summarise(cell.collective->direction, series.calls);
      fmt::print("{}", format_cell(series, summary));
      report["results"].push_back(cell_json(series, summary));
    }
    std::fflush(stdout);
  }
  if (!print) return 0;
  for (const Cell& cell : plan.skipped) {
    fmt::print("{}", format_skipped(cell, facts.ranks, limit_bytes));
    report["skipped"].push_back(skipped_json(cell, facts.ranks, limit_bytes));
  }
  return json.write(report);
}

// Within which all ranks of a machine have written so many bytes each.
std::int64_t sweep_ns(std::int64_t bytes, const JobFacts& facts) {
  constexpr std::int64_t kBytesPerNs = 2;  // of a core
  const int ranks_per_core = (facts.ranks_per_kernel + facts.cores - 1) / facts.cores;
  return bytes * ranks_per_core / kBytesPerNs;
}

int run(MatrixOptions& options, MPI_Comm sync_comm) {
  int rank = 0;
  PMPI_Comm_rank(sync_comm, &rank);
  const LeaderSwitch leader_switch;
  JsonReport json(kProgram, options.json_path);
  if (!json.open(sync_comm) ||
      rank0_failed(sync_comm, kProgram, missing_switch(options.contenders, leader_switch))) {
    return kFailure;
  }
  if (options.arrivals.nodes.empty()) options.arrivals.nodes = machine_nodes(sync_comm);
  CommonClock clock(sync_comm, options.clock);
  const JobFacts facts = collect_facts(sync_comm, clock);
  int ranks = 1;
  PMPI_Comm_size(sync_comm, &ranks);
  // Each machine may decide alone: being awake changes how sharply a rank enters, nothing else.
  const bool core_for_each_rank = clock.ranks_of_this_kernel() <= facts.cores;
  if (options.margin_ns == 0) {
    options.margin_ns = default_margin_ns(core_for_each_rank, options.arrivals.skew_ns) +
                        sweep_ns(options.sweep_bytes, facts);
  }
  const std::int64_t limit_bytes = memory_limit_bytes(options, clock, sync_comm);
  const CellPlan plan = plan_cells(options.collectives, options.sizes_bytes, options.roots,
                                   options.under_way, ranks, limit_bytes);
  CellRunner runner(options, plan.largest, sync_comm, clock, leader_switch, core_for_each_rank);
  return measure_all(options, facts, plan, limit_bytes, runner, rank == 0, json);
}

}  // namespace
}  // namespace mpiactor::bench

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  using namespace mpiactor::bench;
  const int exit_code = parse_and_run(kProgram, argc, argv, parse_matrix_options, run);
  MPI_Finalize();
  return exit_code;
}
