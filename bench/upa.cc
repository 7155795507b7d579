// upa: what MPI_Bcast costs when its ranks arrive at different times ([CP] Fig. 11).
//
// A plain MPI program: it needs no runtime, and measures whatever MPI_Bcast it was launched with.
#include <fmt/format.h>
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>
#include <thread>

#include "bench/clock.h"
#include "bench/contender.h"
#include "bench/job_facts.h"
#include "bench/measure.h"
#include "bench/options.h"
#include "bench/report.h"

namespace mpiactor::bench {
namespace {

constexpr int kFailure = 1;

// Opened before the measurement, so that a path that cannot be written does not cost its result.
std::string open_json(const std::string& path, std::ofstream& file) {
  if (path.empty()) return {};
  file.open(path);
  if (file) return {};
  return fmt::format("--json: cannot write '{}'; give a file in a folder that exists", path);
}

std::string missing_switch(const Options& options, const LeaderSwitch& leader_switch) {
  if (options.contenders.empty() || leader_switch.available()) return {};
  return "--contenders: needs the preloaded runtime (libmpiactor.so), which exports "
         "mpiactor_set_leader; without it leave --contenders out";
}

void measure_all(const Options& options, const JobFacts& facts, Measurement& measurement,
                 bool print, std::ofstream& json_file) {
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
  if (json_file.is_open()) json_file << report.dump(2) << '\n';
}

int run(Options& options, MPI_Comm sync_comm) {
  int rank = 0;
  PMPI_Comm_rank(sync_comm, &rank);
  const LeaderSwitch leader_switch;
  std::ofstream json_file;
  if (rank0_failed(sync_comm, "upa", rank == 0 ? open_json(options.json_path, json_file) : "") ||
      rank0_failed(sync_comm, "upa", rank == 0 ? missing_switch(options, leader_switch) : "")) {
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
  measure_all(options, facts, measurement, rank == 0, json_file);
  if (json_file.is_open() && !json_file.flush()) {
    fmt::print(stderr, "upa: --json: writing '{}' failed\n", options.json_path);
    return kFailure;
  }
  return 0;
}

int parse_and_run(int argc, char** argv) {
  int rank = 0;
  int ranks = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  ParsedOptions parsed = parse_options(argc, argv, ranks);
  if (!parsed.run) {
    if (rank == 0) fmt::print(parsed.exit_code == 0 ? stdout : stderr, "{}", parsed.message);
    return parsed.exit_code;
  }
  MPI_Comm sync_comm = MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_WORLD, &sync_comm);
  int exit_code = kFailure;
  try {
    exit_code = run(parsed.options, sync_comm);
  } catch (const JobFailed& error) {
    if (*error.what() != '\0') fmt::print(stderr, "upa: {}\n", error.what());
  } catch (const std::exception& error) {
    // Memory ran out, say: only an abort reaches the other ranks. It may overtake the message on
    // its way through the launcher, hence the pause.
    fmt::print(stderr, "upa: rank {}: {}\n", rank, error.what());
    std::fflush(nullptr);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    MPI_Abort(MPI_COMM_WORLD, kFailure);
  }
  PMPI_Comm_free(&sync_comm);
  return exit_code;
}

}  // namespace
}  // namespace mpiactor::bench

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int exit_code = mpiactor::bench::parse_and_run(argc, argv);
  MPI_Finalize();
  return exit_code;
}
