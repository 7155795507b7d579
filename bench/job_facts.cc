#include "bench/job_facts.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <vector>

namespace mpiactor::bench {
namespace {

std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  PMPI_Get_library_version(text, &length);
  std::string version(text);
  version.resize(std::min(version.size(), version.find_first_of("\n,")));
  for (char& c : version) c = c == '\t' ? ' ' : c;
  return version;
}

}  // namespace

JobFacts collect_facts(MPI_Comm comm, const CommonClock& clock) {
  int ranks = 1;
  PMPI_Comm_size(comm, &ranks);
  const double own[2] = {static_cast<double>(clock.uncertainty_ns()) / 1000.0,
                         std::abs(static_cast<double>(clock.ahead_ns())) / 1000.0};
  double largest[2] = {0, 0};
  PMPI_Reduce(own, largest, 2, MPI_DOUBLE, MPI_MAX, 0, comm);
  return {.mpi_library = library_version(),
          .ranks = ranks,
          .cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)),
          .ranks_per_kernel = clock.ranks_of_this_kernel(),
          .clock_estimated = clock.estimated(),
          .clock_uncertainty_us = largest[0],
          .clock_offset_us = largest[1]};
}

NodeMap machine_nodes(MPI_Comm comm) {
  int rank = 0;
  int ranks = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  MPI_Comm node = MPI_COMM_NULL;
  PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  int lowest = rank;
  PMPI_Allreduce(&rank, &lowest, 1, MPI_INT, MPI_MIN, node);
  PMPI_Comm_free(&node);
  std::vector<int> labels(static_cast<std::size_t>(ranks));
  PMPI_Allgather(&lowest, 1, MPI_INT, labels.data(), 1, MPI_INT, comm);
  return number_nodes(labels);
}

nlohmann::ordered_json job_json(const JobFacts& facts, const NodeMap& nodes) {
  return {{"mpi_library", facts.mpi_library},
          {"ranks", facts.ranks},
          {"nodes", node_count(nodes)},
          {"node_of_rank", nodes},
          {"cores", facts.cores},
          {"ranks_on_this_machine", facts.ranks_per_kernel},
          {"clock", facts.clock_estimated ? "estimated" : "shared"},
          {"clock_offset_us", facts.clock_offset_us},
          {"clock_uncertainty_us", facts.clock_uncertainty_us}};
}

bool rank0_failed(MPI_Comm comm, const char* program, const std::string& problem) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  int failed = problem.empty() ? 0 : 1;
  PMPI_Bcast(&failed, 1, MPI_INT, 0, comm);
  if (rank == 0 && failed != 0) fmt::print(stderr, "{}: {}\n", program, problem);
  return failed != 0;
}

}  // namespace mpiactor::bench
