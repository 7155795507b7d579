// Facts about the running job that belong beside its figures.
#ifndef MPIACTOR_BENCH_JOB_FACTS_H_
#define MPIACTOR_BENCH_JOB_FACTS_H_

#include <mpi.h>

#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>

#include "bench/clock.h"
#include "bench/node_map.h"

namespace mpiactor::bench {

// Ends the measurement on all ranks together; the text is empty on ranks that saw no problem.
class JobFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct JobFacts {
  std::string mpi_library;  // first line of the library's version
  int ranks = 1;
  int cores = 1;             // of rank 0's machine
  int ranks_per_kernel = 1;  // ranks that share the cores of rank 0's machine
  bool clock_estimated = false;
  double clock_uncertainty_us = 0;  // largest over ranks, at the start
  double clock_offset_us = 0;       // largest absolute offset to rank 0, at the start
};

// Collective, through PMPI alone. Complete on rank 0.
JobFacts collect_facts(MPI_Comm comm, const CommonClock& clock);

// Collective, through PMPI alone. Nodes as the MPI library sees them: ranks that can share memory.
NodeMap machine_nodes(MPI_Comm comm);

// The facts as every benchmark writes them under "job".
nlohmann::ordered_json job_json(const JobFacts& facts, const NodeMap& nodes);

// Collective, through PMPI alone. Tells all ranks whether rank 0 has a problem (an empty text:
// none), which it prints after "`program`: ", so that all end together. What others give is not
// looked at.
bool rank0_failed(MPI_Comm comm, const char* program, const std::string& problem);

}  // namespace mpiactor::bench

#endif  // MPIACTOR_BENCH_JOB_FACTS_H_
