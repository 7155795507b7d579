// asp: all-pairs shortest paths, a plain MPI program. See docs/asp.md.
#include <fmt/core.h>
#include <mpi.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "apps/asp/distance_rows.h"
#include "apps/asp/floyd_warshall.h"
#include "apps/asp/graph_exchange.h"
#include "apps/asp/graph_readers.h"
#include "apps/asp/matrix_file.h"
#include "apps/asp/options.h"
#include "apps/asp/random_graph.h"
#include "apps/asp/report.h"
#include "apps/asp/row_costs.h"
#include "apps/asp/verify.h"
#include "apps/common/agree.h"
#include "apps/common/asleep.h"
#include "apps/common/block_ranges.h"
#include "apps/common/cost_file.h"
#include "apps/common/output_file.h"
#include "apps/common/printing.h"
#include "apps/common/program.h"
#include "apps/common/sleeper.h"
#include "apps/common/step_noise.h"

namespace mpiactor::asp {
namespace {

constexpr char kProgram[] = "asp";
const MPI_Comm kWorld = MPI_COMM_WORLD;

using apps::Place;

// Files that rank 0 writes, opened before the work so that a wrong path costs no time.
struct Outputs {
  std::optional<MatrixWriter> matrix;
  std::optional<apps::OutputFile> json;
};

Outputs open_outputs(const Options& options) {
  apps::refuse_lost_files({{"--graph", options.graph_file},
                           {"--costs", options.computing.costs_file},
                           {"--noise", options.computing.noise.trace_file()}},
                          {{"--out", options.out_file}, {"--json", options.json_file}});
  Outputs outputs;
  if (!options.out_file.empty()) outputs.matrix.emplace(options.out_file);
  if (!options.json_file.empty()) outputs.json.emplace("--json", options.json_file);
  return outputs;
}

std::string input_name(const Options& options) {
  return options.graph_file.empty()
             ? fmt::format("random {} seed {}", options.random_vertices, options.seed)
             : options.graph_file;
}

Graph load_graph(const Options& options) {
  Graph graph = options.graph_file.empty()
                    ? random_road_graph(options.random_vertices, options.seed)
                    : read_graph_file(options.graph_file);
  check_path_sums(graph, input_name(options));
  return graph;
}

void write_matrix(MatrixWriter* writer, const Graph& graph, const DistanceRows& rows,
                  const apps::BlockRanges& blocks) {
  if (writer) writer->begin(graph);
  visit_rows_on_root(rows, blocks, kWorld, [&](const Distance* row) { writer->add(row); });
  apps::run_agreed(kProgram, kWorld, [&] {
    if (writer) writer->finish();
  });
}

// Checks this rank's share of the sources; prints the first mismatch of the lowest rank.
Verification verify(const Options& options, const Graph& graph, const DistanceRows& rows,
                    const Place& place) {
  const auto sources = draw_sources(graph.vertices, options.verify_sources, options.seed);
  const Mismatches mine = compare(rows, graph, sources);
  Verification result;
  result.sources = static_cast<std::int64_t>(sources.size());
  MPI_Allreduce(&mine.sources, &result.mismatches, 1, MPI_INT64_T, MPI_SUM, kWorld);
  const int candidate = mine.sources > 0 ? place.rank : place.ranks;
  int lowest = place.ranks;
  MPI_Allreduce(&candidate, &lowest, 1, MPI_INT, MPI_MIN, kWorld);
  if (lowest == place.rank) fmt::print(stderr, "{}: verify: {}\n", kProgram, mine.first);
  return result;
}

// Collective. What this rank's rows cost where computing sleeps; afterwards the entries of `rows`
// mean nothing.
RowCosts row_costs(const Options& options, DistanceRows& rows, Relaxer& relaxer) {
  RowCosts costs;
  if (options.computing.costs_file.empty()) {
    apps::in_turn(kWorld, [&] { costs = sample_row_costs(rows, relaxer); });
  } else {
    apps::read_costs(kProgram, options.computing.costs_file, {{"input", input_name(options)}},
                     {&costs.relaxed, &costs.skipped}, kWorld);
  }
  return costs;
}

// Collective. What this rank's steps come to where computing sleeps; afterwards the entries of
// `rows` mean nothing.
apps::SleptSteps slept_steps(const Options& options, const Place& place, const Graph& graph,
                             const apps::BlockRanges& blocks, apps::StepNoise noise,
                             DistanceRows& rows, Relaxer& relaxer) {
  const apps::SleepSettings settings{options.seed, options.computing.slower};
  if (noise.is_recorded()) return {settings, {}, {}, std::move(noise)};
  std::vector<std::int32_t> counts;
  if (place.rank == 0) counts = count_reaching_rows(graph, blocks, place.ranks);
  std::vector<std::int32_t> reaching(static_cast<std::size_t>(graph.vertices));
  MPI_Scatter(counts.data(), graph.vertices, MPI_INT32_T, reaching.data(), graph.vertices,
              MPI_INT32_T, 0, kWorld);
  const RowCosts costs = row_costs(options, rows, relaxer);
  std::mt19937_64 random = apps::step_random(options.seed, place.rank);
  return {settings,
          {costs.relaxed, costs.skipped},
          draw_steps(costs, reaching, rows.count(), random),
          std::move(noise)};
}

// Turns arc lengths into distances; fills the times and the summary of `report`.
void solve(const Options& options, const Place& place, const Graph& graph,
           const apps::BlockRanges& blocks, DistanceRows& rows, Report& report) {
  Relaxer relaxer(options.threads);
  const apps::StepNoise noise(kProgram, options.computing.noise,
                              static_cast<std::size_t>(graph.vertices), kWorld);
  std::optional<apps::SleptSteps> slept;
  std::optional<apps::Sleeper> sleeper;
  RelaxStep relax = [&](DistanceRows& own, const Pivots& pivots, std::int64_t begin_ns) {
    relaxer.relax(own, pivots);
    if (!sleeper) return;
    noise.finish(static_cast<std::size_t>(pivots.first), static_cast<std::size_t>(pivots.count),
                 begin_ns, *sleeper);
  };
  if (options.computing.is_asleep) {
    slept.emplace(slept_steps(options, place, graph, blocks, noise, rows, relaxer));
    relax = [&](DistanceRows&, const Pivots& pivots, std::int64_t begin_ns) {
      slept->take(static_cast<std::size_t>(pivots.first), begin_ns);
    };
  } else if (noise.is_there()) {
    sleeper.emplace();
  }
  apps::ArrivalLog arrivals(static_cast<std::size_t>(rows.columns()));
  PhaseTimes times;
  {
    apps::Progress progress("asp: row", rows.columns(), options.progress, place.rank == 0);
    MPI_Barrier(kWorld);
    times = floyd_warshall(rows, blocks, options.batch, relax, kWorld, arrivals, progress);
  }
  combine_times(times, kWorld, report);
  report.arrival = arrivals.spread(kWorld);
  report.noise = noise.report(kWorld);
  if (slept) {
    std::vector<int> roots;
    for (std::int32_t k = 0; k < graph.vertices; ++k) roots.push_back(blocks.owner(k));
    report.asleep = slept->report(roots, kWorld);
  } else {
    report.distances = summarize_all(rows, kWorld);
  }
}

// Collective; throws AgreedFailure on all ranks where any has failed. Returns the exit status.
int run(const Options& options, const Place& place) {
  Graph graph;
  Outputs outputs;
  apps::run_agreed(kProgram, kWorld, [&] {
    if (place.rank != 0) return;
    graph = load_graph(options);
    outputs = open_outputs(options);
  });
  broadcast_graph(graph, kWorld);

  const apps::BlockRanges blocks(graph.vertices, place.ranks);
  apps::run_agreed(kProgram, kWorld, [&] { check_memory(blocks, graph.vertices, kWorld); });
  DistanceRows rows =
      DistanceRows::from_graph(graph, blocks.begin(place.rank), blocks.end(place.rank));

  Report report;
  report.input = input_name(options);
  report.vertices = graph.vertices;
  report.arcs = static_cast<std::int64_t>(graph.arcs.size());
  report.ranks = place.ranks;
  report.threads = options.threads;
  report.batch = options.batch;
  solve(options, place, graph, blocks, rows, report);
  if (options.verify_sources > 0) report.verification = verify(options, graph, rows, place);

  // What cannot be written costs the other outputs nothing.
  const auto print = [&] {
    if (place.rank == 0) apps::print(to_text(report));
  };
  const auto write_json = [&] {
    if (outputs.json) outputs.json->finish(to_json(report));
  };
  const bool all_written = apps::run_each_agreed(kProgram, kWorld, {print, write_json});
  if (!options.out_file.empty()) {
    write_matrix(outputs.matrix ? &*outputs.matrix : nullptr, graph, rows, blocks);
  }
  const bool is_right = !report.verification || report.verification->mismatches == 0;
  return all_written && is_right ? 0 : 1;
}

}  // namespace
}  // namespace mpiactor::asp

int main(int argc, char** argv) {
  using namespace mpiactor;
  using namespace mpiactor::asp;
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const int status = apps::run_program(kProgram, argc, argv, parse_options, run);
  MPI_Finalize();
  return status;
}
