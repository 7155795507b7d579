// What collectives_run prints and writes: a row and a JSON object for each cell and contender.
#ifndef MPIACTOR_BENCH_MATRIX_MATRIX_REPORT_H_
#define MPIACTOR_BENCH_MATRIX_MATRIX_REPORT_H_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bench/job_facts.h"
#include "bench/matrix/cell_runner.h"
#include "bench/matrix/matrix_options.h"

namespace mpiactor::bench {

// Lines that say what is measured, and the head of the table.
std::string format_matrix_header(const MatrixOptions& options, const JobFacts& facts);

// One line of the table.
std::string format_cell(const CellSeries& series, const CellSummary& summary);

// One line for a cell that needs more than `limit_bytes` a rank.
std::string format_skipped(const Cell& cell, int ranks, std::int64_t limit_bytes);

// {"benchmark": "collectives", "settings": {...}, "job": {...}, "results": [], "skipped": []}.
// docs/measuring.md explains the fields.
nlohmann::ordered_json matrix_report_json(const MatrixOptions& options, const JobFacts& facts);
nlohmann::ordered_json cell_json(const CellSeries& series, const CellSummary& summary);
nlohmann::ordered_json skipped_json(const Cell& cell, int ranks, std::int64_t limit_bytes);

}  // namespace mpiactor::bench

#endif  // MPIACTOR_BENCH_MATRIX_MATRIX_REPORT_H_
