#include "bench/json_report.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "bench/job_facts.h"

namespace mpiactor::bench {

bool JsonReport::open(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  std::string problem;
  if (rank == 0 && !path_.empty()) {
    file_.open(path_);
    if (!file_) {
      problem =
          fmt::format("--json: cannot write '{}'; give a file in a folder that exists", path_);
    }
  }
  return !rank0_failed(comm, program_, problem);
}

int JsonReport::write(const nlohmann::ordered_json& report) {
  if (!file_.is_open()) return EXIT_SUCCESS;
  // Labels come from the command line and need not be UTF-8.
  file_ << report.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
        << std::endl;
  if (file_) return EXIT_SUCCESS;
  fmt::print(stderr, "{}: --json: writing '{}' failed\n", program_, path_);
  return EXIT_FAILURE;
}

nlohmann::ordered_json distribution_json(const Distribution& samples) {
  return {{"mean", samples.mean}, {"p50", samples.p50}, {"p95", samples.p95}, {"max", samples.max}};
}

}  // namespace mpiactor::bench
