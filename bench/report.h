// What upa prints and writes: a table row and a JSON object for each size and contender.
#ifndef MPIACTOR_BENCH_REPORT_H_
#define MPIACTOR_BENCH_REPORT_H_

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bench/job_facts.h"
#include "bench/measure.h"
#include "bench/options.h"

namespace mpiactor::bench {

// Lines that say what was measured, and the head of the table.
std::string format_header(const Options& options, const JobFacts& facts);

// One line of the table.
std::string format_row(const Series& series, const CallSummary& summary);

// A warning for a series whose arrivals the machine did not let happen as planned, or nothing.
std::string format_warning(const Series& series);

// {"benchmark": "upa", "settings": {...}, "job": {...}, "results": []}; add result_json to
// "results". docs/measuring.md explains the fields.
nlohmann::ordered_json report_json(const Options& options, const JobFacts& facts);
nlohmann::ordered_json result_json(const Series& series, const CallSummary& summary);

}  // namespace mpiactor::bench

#endif  // MPIACTOR_BENCH_REPORT_H_
