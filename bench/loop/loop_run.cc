// loop_run: what MPI_Bcast costs a program whose ranks compute with noise.
//
// A plain MPI program: it needs no runtime, and measures whatever MPI it was launched with.
#include <fmt/format.h>
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>
#include <thread>

#include "bench/clock.h"
#include "bench/job_facts.h"
#include "bench/loop/floor.h"
#include "bench/loop/loop_figures.h"
#include "bench/loop/loop_options.h"
#include "bench/loop/loop_report.h"
#include "bench/loop/loop_runner.h"

namespace mpiactor::bench {
namespace {

constexpr const char* kProgram = "loop_run";
constexpr int kFailure = 1;

// Opened before the measurement, so that a path that cannot be written does not cost its result.
std::string open_json(const std::string& path, std::ofstream& file) {
  if (path.empty()) return {};
  file.open(path);
  if (file) return {};
  return fmt::format("--json: cannot write '{}'; give a file in a folder that exists", path);
}

void measure_all(const LoopOptions& options, const JobFacts& facts, LoopRunner& runner, bool print,
                 std::ofstream& json_file) {
  if (print) fmt::print("{}", format_loop_header(options, facts));
  nlohmann::ordered_json report = loop_report_json(options, facts);
  LoopFloor floor;
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
  if (json_file.is_open()) json_file << report.dump(2) << '\n';
}

int run(LoopOptions& options, MPI_Comm sync_comm) {
  int rank = 0;
  PMPI_Comm_rank(sync_comm, &rank);
  std::ofstream json_file;
  if (rank0_failed(sync_comm, kProgram, rank == 0 ? open_json(options.json_path, json_file) : "")) {
    return kFailure;
  }
  if (options.nodes.empty()) options.nodes = machine_nodes(sync_comm);
  CommonClock clock(sync_comm, options.clock);
  const JobFacts facts = collect_facts(sync_comm, clock);
  LoopRunner runner(options, sync_comm, clock);
  measure_all(options, facts, runner, rank == 0, json_file);
  if (json_file.is_open() && !json_file.flush()) {
    fmt::print(stderr, "{}: --json: writing '{}' failed\n", kProgram, options.json_path);
    return kFailure;
  }
  return 0;
}

int parse_and_run(int argc, char** argv) {
  int rank = 0;
  int ranks = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  ParsedLoopOptions parsed = parse_loop_options(argc, argv, ranks);
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
    if (*error.what() != '\0') fmt::print(stderr, "{}: {}\n", kProgram, error.what());
  } catch (const std::exception& error) {
    // Memory ran out, say: only an abort reaches the other ranks. It may overtake the message on
    // its way through the launcher, hence the pause.
    fmt::print(stderr, "{}: rank {}: {}\n", kProgram, rank, error.what());
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
