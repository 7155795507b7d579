// What loop_run prints, and writes as JSON.
#ifndef MPIACTOR_BENCH_LOOP_LOOP_REPORT_H_
#define MPIACTOR_BENCH_LOOP_LOOP_REPORT_H_

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bench/job_facts.h"
#include "bench/loop/loop_figures.h"
#include "bench/loop/loop_options.h"
#include "bench/loop/loop_runner.h"

namespace mpiactor::bench {

std::string format_loop_header(const LoopOptions& options, const JobFacts& facts);

std::string format_loop_row(const LoopSeries& series, const LoopFigures& figures);

// The report without results.
nlohmann::ordered_json loop_report_json(const LoopOptions& options, const JobFacts& facts);

// One of its results.
nlohmann::ordered_json loop_result_json(const LoopOptions& options, const LoopSeries& series,
                                        const LoopFigures& figures);

}  // namespace mpiactor::bench

#endif  // MPIACTOR_BENCH_LOOP_LOOP_REPORT_H_
