// How an application begins and ends: all ranks together, and a problem is said once.
#ifndef MPIACTOR_APPS_COMMON_PROGRAM_H_
#define MPIACTOR_APPS_COMMON_PROGRAM_H_

#include <fmt/core.h>
#include <mpi.h>

#include <cstdio>
#include <exception>

#include "apps/common/agree.h"
#include "apps/common/printing.h"

namespace mpiactor::apps {

struct Place {
  int rank = 0;
  int ranks = 1;
};

// Between MPI_Init and MPI_Finalize. parse_options(argc, argv) gives ParsedOptions;
// run(options, place), collective, works and gives the exit status.
template <typename ParseOptions, typename Run>
int run_program(const char* program, int argc, char** argv, ParseOptions parse_options, Run run) {
  Place place;
  MPI_Comm_rank(MPI_COMM_WORLD, &place.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &place.ranks);
  try {
    const auto parsed = parse_options(argc, argv);
    if (parsed.run) return run(parsed.options, place);
    run_agreed(program, MPI_COMM_WORLD, [&] {
      if (place.rank != 0) return;
      fmt::print(stderr, "{}", parsed.errors);
      print(parsed.output);
    });
    return parsed.exit_status;
  } catch (const AgreedFailure&) {
    return 1;
  } catch (const std::exception& error) {
    // Not agreed: the others may be waiting in a collective.
    fmt::print(stderr, "{}: rank {}: {}\n", program, place.rank, error.what());
    std::fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
  }
}

}  // namespace mpiactor::apps

#endif  // MPIACTOR_APPS_COMMON_PROGRAM_H_
