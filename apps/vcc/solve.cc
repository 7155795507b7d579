#include "apps/vcc/solve.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "apps/common/asleep.h"
#include "apps/common/cost_file.h"
#include "apps/common/sleeper.h"
#include "apps/common/step_noise.h"
#include "apps/vcc/correlate_all.h"
#include "apps/vcc/correlator.h"
#include "apps/vcc/exchange.h"
#include "apps/vcc/findings.h"
#include "apps/vcc/piece_costs.h"

namespace mpiactor::vcc {
namespace {

void count_missing(const std::vector<std::int64_t>& present, Report& report) {
  report.missing = report.variables * report.observations -
                   std::accumulate(present.begin(), present.end(), std::int64_t{0});
  report.incomplete = std::count_if(present.begin(), present.end(), [&](std::int64_t values) {
    return values < report.observations;
  });
}

void count_broadcasts(const std::vector<Piece>& order, const Columns& own, Report& report) {
  for (const Piece& piece : order) {
    report.largest_broadcast_bytes =
        std::max(report.largest_broadcast_bytes,
                 piece.count * own.stride() * static_cast<std::int64_t>(sizeof(double)));
  }
  report.broadcasts = static_cast<std::int64_t>(order.size());
}

// Collective. What kinds of work cost this rank where computing sleeps; afterwards the entries of
// `results` mean nothing.
PieceCosts piece_costs(const Options& options, const Layout& layout, const Columns& own,
                       const std::vector<Piece>& order, const std::string& input,
                       ResultRows& results, MPI_Comm comm) {
  PieceCosts costs;
  if (options.computing.costs_file.empty()) {
    PieceSampler sampler(layout, own, order);
    apps::in_turn(comm, [&] { costs = sampler.sample(results); });
  } else {
    apps::read_costs(
        "vcc", options.computing.costs_file, {{"input", input}, {"block", options.block}},
        {&costs.centred_column, &costs.passed_column, &costs.product, &costs.gapped_pair}, comm);
  }
  return costs;
}

// What this rank's steps come to where computing sleeps and costs that much.
apps::SleptSteps slept_steps(const Options& options, int rank, const std::vector<Piece>& order,
                             const Correlator& correlator, const PieceCosts& costs,
                             const apps::StepNoise& noise) {
  std::mt19937_64 random = apps::step_random(options.seed, rank);
  std::vector<double> steps_ns;
  for (const Piece& piece : order) steps_ns.push_back(costs.draw(correlator.work(piece), random));
  return {{options.seed, options.computing.slower}, costs.all(), std::move(steps_ns), noise};
}

}  // namespace

ResultRows solve(const Options& options, int rank, const Layout& layout, Columns& own,
                 Report& report, MPI_Comm comm) {
  ResultRows results(own.first(), own.end(), layout.variables());
  std::vector<std::int64_t> present = present_counts(own, layout, comm);
  count_missing(present, report);
  Correlator correlator(layout, own, std::move(present));
  const std::vector<Piece> order = broadcast_order(layout);
  count_broadcasts(order, own, report);

  const apps::StepNoise noise("vcc", options.computing.noise, order.size(), comm);
  std::optional<apps::SleptSteps> slept;
  std::optional<apps::Sleeper> sleeper;
  CorrelateStep correlate = [&](std::size_t piece, const double* values, std::int64_t begin_ns) {
    correlator.correlate(order[piece], values, results);
    if (sleeper) noise.finish(piece, 1, begin_ns, *sleeper);
  };
  if (options.computing.is_asleep) {
    if (noise.is_recorded()) {
      slept.emplace(apps::SleepSettings{options.seed, options.computing.slower},
                    std::vector<apps::UnitCosts>(), std::vector<double>(), noise);
    } else {
      const PieceCosts costs =
          piece_costs(options, layout, own, order, report.input, results, comm);
      slept.emplace(slept_steps(options, rank, order, correlator, costs, noise));
    }
    correlate = [&](std::size_t piece, const double*, std::int64_t begin_ns) {
      slept->take(piece, begin_ns);
    };
  } else if (noise.is_there()) {
    sleeper.emplace();
  }
  apps::ArrivalLog arrivals(order.size());
  PhaseTimes times;
  {
    apps::Progress progress("vcc: block", report.broadcasts, options.progress, rank == 0);
    MPI_Barrier(comm);
    times = correlate_all(own, layout, order, correlate, results, comm, arrivals, progress);
  }
  combine_times(times, comm, report);
  report.arrival = arrivals.spread(comm);
  report.noise = noise.report(comm);
  if (slept) {
    std::vector<int> roots;
    for (const Piece& piece : order) roots.push_back(piece.owner);
    report.asleep = slept->report(roots, comm);
  } else {
    report.findings = find(results, options.largest, comm);
  }
  return results;
}

}  // namespace mpiactor::vcc
