// How a benchmark program begins and ends: all ranks together, and a problem is said once.
#ifndef MPIACTOR_BENCH_PROGRAM_H_
#define MPIACTOR_BENCH_PROGRAM_H_

#include <fmt/format.h>
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "apps/common/printing.h"
#include "bench/contender.h"
#include "bench/job_facts.h"

namespace mpiactor::bench {

inline constexpr int kFailure = 1;

inline std::string missing_switch(const std::vector<std::string>& contenders,
                                  const LeaderSwitch& leader_switch) {
  if (contenders.empty() || leader_switch.available()) return {};
  return "--contenders: needs the preloaded runtime (libmpiactor.so), which exports "
         "mpiactor_set_leader; without it leave --contenders out";
}

// Rank 0 prints `text`, its last. Gives `exit_code`, or says that something has not got out and
// gives kFailure.
inline int print_last(const char* program, const std::string& text, int exit_code) {
  try {
    apps::print(text);
    return exit_code;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", program, error.what());
    return kFailure;
  }
}

// parse(argc, argv, ranks) gives Parsed options, the same on all ranks; run(options, comm) measures
// and gives the exit code. Between MPI_Init and MPI_Finalize.
template <typename Parse, typename Run>
int parse_and_run(const char* program, int argc, char** argv, Parse parse, Run run) {
  int rank = 0;
  int ranks = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  auto parsed = parse(argc, argv, ranks);
  if (!parsed.run) {
    if (rank != 0) return parsed.exit_code;
    if (parsed.exit_code == 0) return print_last(program, parsed.message, 0);
    fmt::print(stderr, "{}", parsed.message);
    return parsed.exit_code;
  }
  MPI_Comm sync_comm = MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_WORLD, &sync_comm);
  int exit_code = kFailure;
  try {
    exit_code = run(parsed.options, sync_comm);
  } catch (const JobFailed& error) {
    if (*error.what() != '\0') fmt::print(stderr, "{}: {}\n", program, error.what());
  } catch (const std::exception& error) {
    // Memory ran out, say: only an abort reaches the other ranks. It may overtake the message on
    // its way through the launcher, hence the pause.
    fmt::print(stderr, "{}: rank {}: {}\n", program, rank, error.what());
    std::fflush(nullptr);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    MPI_Abort(MPI_COMM_WORLD, kFailure);
  }
  PMPI_Comm_free(&sync_comm);
  return rank == 0 ? print_last(program, "", exit_code) : exit_code;
}

}  // namespace mpiactor::bench

#endif  // MPIACTOR_BENCH_PROGRAM_H_
