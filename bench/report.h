// What upa prints and writes: a table row and a JSON object for each size and contender.
#ifndef MPIACTOR_BENCH_REPORT_H_
#define MPIACTOR_BENCH_REPORT_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/measure.h"
#include "bench/options.h"

namespace mpiactor::bench {

// Facts about the job that belong beside its figures.
struct JobFacts {
  std::string mpi_library;  // first line of the library's version
  int ranks = 1;
  int cores = 1;             // of rank 0's machine
  int ranks_per_kernel = 1;  // ranks that share the cores of rank 0's machine
  bool clock_estimated = false;
  double clock_uncertainty_us = 0;  // largest over ranks, at the start
  double clock_offset_us = 0;       // largest absolute offset to rank 0, at the start
};

// Lines that say what was measured, and the head of the table.
std::string format_header(const Options& options, const JobFacts& facts);

// One line of the table.
std::string format_row(const Series& series, const CallSummary& summary);

// A warning for a series whose arrivals the machine did not let happen as planned, or nothing.
std::string format_warning(const Series& series);

// {"benchmark": "upa", "settings": {...}, "job": {...}, "results": []}; add result_json to
// "results". docs/benchmarking.md explains the fields.
nlohmann::ordered_json report_json(const Options& options, const JobFacts& facts);
nlohmann::ordered_json result_json(const Series& series, const CallSummary& summary);

}  // namespace mpiactor::bench

#endif  // MPIACTOR_BENCH_REPORT_H_
