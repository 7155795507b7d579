// The file of --json, and what several programs write there.
#ifndef MPIACTOR_BENCH_JSON_REPORT_H_
#define MPIACTOR_BENCH_JSON_REPORT_H_

#include <mpi.h>

#include <fstream>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bench/statistics.h"

namespace mpiactor::bench {

// Rank 0 writes it. On the other ranks, and without a path, it is not there.
class JsonReport {
 public:
  // `program` begins what is said of a failure.
  JsonReport(const char* program, const std::string& path) : program_(program), path_(path) {}

  // Collective. Opens the file before the measurement, so that a path that cannot be written does
  // not cost its result. Tells all ranks whether that went well; rank 0 says why not.
  bool open(MPI_Comm comm);

  // After open(). Gives the program's exit code: a failure, of which is said what it is, where the
  // file could not be written.
  int write(const nlohmann::ordered_json& report);

 private:
  const char* program_;
  std::string path_;
  std::ofstream file_;
};

nlohmann::ordered_json distribution_json(const Distribution& samples);

}  // namespace mpiactor::bench

#endif  // MPIACTOR_BENCH_JSON_REPORT_H_
