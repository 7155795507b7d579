// vcc: covariances and correlations of all pairs of variables, a plain MPI program. See
// docs/vcc.md.
#include <fmt/core.h>
#include <mpi.h>

#include <cstdio>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "apps/common/agree.h"
#include "apps/common/computing.h"
#include "apps/common/machine_memory.h"
#include "apps/common/output_file.h"
#include "apps/common/printing.h"
#include "apps/common/program.h"
#include "apps/vcc/columns.h"
#include "apps/vcc/correlator.h"
#include "apps/vcc/data_readers.h"
#include "apps/vcc/exchange.h"
#include "apps/vcc/layout.h"
#include "apps/vcc/matrix_writer.h"
#include "apps/vcc/options.h"
#include "apps/vcc/piece_costs.h"
#include "apps/vcc/random_data.h"
#include "apps/vcc/report.h"
#include "apps/vcc/result_rows.h"
#include "apps/vcc/solve.h"
#include "apps/vcc/verify.h"

namespace mpiactor::vcc {
namespace {

constexpr char kProgram[] = "vcc";
const MPI_Comm kWorld = MPI_COMM_WORLD;

using apps::Place;

// Files that rank 0 writes, opened before the work so that a wrong path costs no time.
struct Outputs {
  std::optional<MatrixWriter> covariance;
  std::optional<MatrixWriter> correlation;
  std::optional<apps::OutputFile> json;
};

Outputs open_outputs(const Options& options) {
  const bool writes = !options.output_prefix.empty();
  const std::string covariance = writes ? options.output_prefix + "_covariance.npy" : "";
  const std::string correlation = writes ? options.output_prefix + "_correlation.npy" : "";
  apps::refuse_lost_files(
      {{"--data", options.data_file},
       {"--costs", options.computing.costs_file},
       {"--noise", options.computing.noise.trace_file()}},
      {{"--output", covariance}, {"--output", correlation}, {"--json", options.json_file}});
  Outputs outputs;
  if (writes) {
    outputs.covariance.emplace("--output", covariance);
    outputs.correlation.emplace("--output", correlation);
  }
  if (!options.json_file.empty()) outputs.json.emplace("--json", options.json_file);
  return outputs;
}

RandomData random_data(const Options& options) {
  return {options.random_variables, options.random_observations, options.random_missing,
          options.seed};
}

std::string input_name(const Options& options) {
  if (!options.data_file.empty()) return options.data_file;
  return fmt::format("random {} observations {} missing {} seed {}", options.random_variables,
                     options.random_observations, options.random_missing, options.seed);
}

// How many variables and observations the input has; known to all ranks.
struct Shape {
  std::int64_t variables = 0;
  std::int64_t observations = 0;
};

// Collective. Rank 0 reads the file, if there is one, into `table`.
Shape load(const Options& options, const Place& place, DataTable& table, Outputs& outputs) {
  apps::run_agreed(kProgram, kWorld, [&] {
    if (place.rank != 0) return;
    if (!options.data_file.empty()) table = read_data_file(options.data_file);
    outputs = open_outputs(options);
  });
  if (options.data_file.empty()) return {options.random_variables, options.random_observations};
  std::int64_t sizes[2] = {table.variables, table.observations};
  MPI_Bcast(sizes, 2, MPI_INT64_T, 0, kWorld);
  return {sizes[0], sizes[1]};
}

// Collective. Throws where the work cannot be done by these ranks, or not in their memory.
void check_work(const Options& options, const Place& place, const Shape& shape,
                const Layout& layout) {
  if (shape.variables < place.ranks) {
    throw std::runtime_error(
        fmt::format("{}: {} variables on {} ranks; allowed are at most {} ranks, one variable each",
                    input_name(options), shape.variables, place.ranks, shape.variables));
  }
  const std::int64_t most = std::numeric_limits<int>::max() / padded(shape.observations);
  if (options.block > most) {
    throw std::runtime_error(
        fmt::format("--block {}: with {} observations a message would have more numbers than MPI "
                    "counts; allowed are 1 .. {}",
                    options.block, shape.observations, most));
  }
  const std::int32_t own = layout.ranges().count(place.rank);
  double bytes = Columns::bytes(own + options.block, shape.observations) +
                 Correlator::bytes(layout, own, shape.observations) +
                 ResultRows::bytes(own, layout.variables());
  if (options.computing.is_asleep) {
    bytes += PieceSampler::bytes(layout, own, shape.observations);
  }
  const bool has_table = !options.data_file.empty() || options.verify_variables > 0;
  if (place.rank == 0 && has_table) {
    bytes += Columns::bytes(layout.variables(), shape.observations);
  }
  apps::check_machine_memory(bytes,
                             fmt::format("{} variables x {} observations and their matrices",
                                         shape.variables, shape.observations),
                             "use more machines or less data", kWorld);
}

// Collective. This rank's columns; on rank 0 `table` is there afterwards only to verify by.
Columns own_columns(const Options& options, const Place& place, const Layout& layout,
                    std::int64_t observations, DataTable& table) {
  const apps::BlockRanges& ranges = layout.ranges();
  Columns own(ranges.begin(place.rank), ranges.count(place.rank), observations);
  const bool is_random = options.data_file.empty();
  if (is_random) {
    for (std::int32_t variable = own.first(); variable < own.end(); ++variable) {
      random_column(random_data(options), variable, own.column(variable));
    }
  } else {
    distribute(table, layout, own, kWorld);
  }
  const bool verifies = options.verify_variables > 0 && place.rank == 0;
  if (!verifies) {
    std::vector<double>().swap(table.values);
  } else if (is_random) {
    table = random_table(random_data(options));
  }
  return own;
}

// Collective. Rank 0 sees all rows once: writes the matrices, but for their end, and verifies,
// where either is asked for.
void visit_results(const Options& options, const Place& place, const Layout& layout,
                   const ResultRows& results, const DataTable& table, Outputs& outputs,
                   Report& report) {
  const bool writes = !options.output_prefix.empty();
  if (!writes && options.verify_variables == 0) return;
  Verifier verifier(table,
                    draw_variables(layout.variables(), options.verify_variables, options.seed));
  if (outputs.covariance) outputs.covariance->begin(layout.variables());
  if (outputs.correlation) outputs.correlation->begin(layout.variables());
  visit_rows_on_root(results, layout, kWorld,
                     [&](std::int32_t row, const double* covariance, const double* correlation) {
                       if (outputs.covariance) outputs.covariance->add(covariance);
                       if (outputs.correlation) outputs.correlation->add(correlation);
                       verifier.check(row, covariance, correlation);
                     });
  if (options.verify_variables == 0) return;
  report.verification =
      Verification{verifier.rows(), verifier.mismatches(), verifier.largest_difference()};
  MPI_Bcast(&report.verification->mismatches, 1, MPI_INT64_T, 0, kWorld);
  if (place.rank == 0 && verifier.mismatches() > 0) {
    fmt::print(stderr, "{}: verify: {}\n", kProgram, verifier.first());
  }
}

// Collective; throws AgreedFailure on all ranks where any has failed. Returns the exit status.
int run(const Options& options, const Place& place) {
  DataTable table;
  Outputs outputs;
  const Shape shape = load(options, place, table, outputs);
  const Layout layout(static_cast<std::int32_t>(shape.variables), place.ranks, options.block);
  apps::run_agreed(kProgram, kWorld, [&] { check_work(options, place, shape, layout); });
  Columns own = own_columns(options, place, layout, shape.observations, table);

  Report report;
  report.input = input_name(options);
  report.variables = shape.variables;
  report.observations = shape.observations;
  report.names = table.names;
  report.ranks = place.ranks;
  report.block = options.block;
  const ResultRows results = solve(options, place.rank, layout, own, report, kWorld);
  visit_results(options, place, layout, results, table, outputs, report);

  // What cannot be written costs the other outputs nothing.
  const auto print = [&] {
    if (place.rank == 0) apps::print(to_text(report));
  };
  const auto write_json = [&] {
    if (outputs.json) outputs.json->finish(to_json(report));
  };
  const auto end_covariance = [&] {
    if (outputs.covariance) outputs.covariance->finish();
  };
  const auto end_correlation = [&] {
    if (outputs.correlation) outputs.correlation->finish();
  };
  const bool all_written =
      apps::run_each_agreed(kProgram, kWorld, {print, write_json, end_covariance, end_correlation});
  const bool is_right = !report.verification || report.verification->mismatches == 0;
  return all_written && is_right ? 0 : 1;
}

}  // namespace
}  // namespace mpiactor::vcc

int main(int argc, char** argv) {
  using namespace mpiactor;
  using namespace mpiactor::vcc;
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const int status = apps::run_program(kProgram, argc, argv, parse_options, run);
  MPI_Finalize();
  return status;
}
