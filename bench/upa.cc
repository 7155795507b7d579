// upa: what MPI_Bcast costs when its ranks arrive at different times ([CP] Fig. 11).
//
// A plain MPI program: it needs no runtime, and measures whatever MPI_Bcast it was launched with.
#include <fmt/format.h>
#include <mpi.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "bench/clock.h"
#include "bench/common_options.h"
#include "bench/contender.h"
#include "bench/job_facts.h"
#include "bench/json_report.h"
#include "bench/measure.h"
#include "bench/options.h"
#include "bench/program.h"
#include "bench/report.h"

namespace mpiactor::bench {
namespace {

// Gives the exit code.
int measure_all(const Options& options, const JobFacts& facts, Measurement& measurement, bool print,
                JsonReport& json) {
  if (print) fmt::print("{}", format_header(options, facts));
  nlohmann::ordered_json report = report_json(options, facts);
  for (const std::int64_t bytes : options.sizes_bytes) {
    for (const Series& series : measurement.run_size(bytes)) {
      if (!print) continue;
      const CallSummary summary = summarise(series.calls);
      fmt::print("{}", format_row(series, summary));
      fmt::print(stderr, "{}", format_warning(series));
      report["results"].push_back(result_json(series, summary));
    }
    std::fflush(stdout);
  }
  return json.write(report);
}

int run(Options& options, MPI_Comm sync_comm) {
  int rank = 0;
  PMPI_Comm_rank(sync_comm, &rank);
  const LeaderSwitch leader_switch;
  JsonReport json("upa", options.json_path);
  if (!json.open(sync_comm) ||
      rank0_failed(sync_comm, "upa", missing_switch(options.contenders, leader_switch))) {
    return kFailure;
  }
  if (options.arrivals.nodes.empty()) {
    options.arrivals.nodes = machine_nodes(sync_comm);
  }
  CommonClock clock(sync_comm, options.clock);
  const JobFacts facts = collect_facts(sync_comm, clock);
  // Each machine may decide alone: being awake changes how sharply a rank enters, nothing else.
  const bool core_for_each_rank = facts.ranks_per_kernel <= facts.cores;
  if (options.margin_ns == 0) {
    options.margin_ns = default_margin_ns(core_for_each_rank, options.arrivals.skew_ns);
  }
  Measurement measurement(options, sync_comm, clock, leader_switch, core_for_each_rank);
  return measure_all(options, facts, measurement, rank == 0, json);
}

}  // namespace
}  // namespace mpiactor::bench

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  using namespace mpiactor::bench;
  const int exit_code = parse_and_run("upa", argc, argv, parse_options, run);
  MPI_Finalize();
  return exit_code;
}
