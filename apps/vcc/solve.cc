#include "apps/vcc/solve.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "apps/common/asleep.h"
#include "apps/common/cost_file.h"
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

// Collective. What this rank's steps come to where computing sleeps; afterwards the entries of
// `results` mean nothing.
apps::SleptSteps slept_steps(const Options& options, int rank, const Layout& layout,
                             const Columns& own, const std::vector<Piece>& order,
                             const Correlator& correlator, const std::string& input,
                             ResultRows& results, MPI_Comm comm) {
  PieceCosts costs;
  if (options.computing.costs_file.empty()) {
    PieceSampler sampler(layout, own, order);
    apps::in_turn(comm, [&] { costs = sampler.sample(results); });
  } else {
    apps::read_costs(
        "vcc", options.computing.costs_file, input,
        {&costs.centred_column, &costs.passed_column, &costs.product, &costs.gapped_pair}, comm);
  }
  std::mt19937_64 random = apps::step_random(options.seed, rank);
  std::vector<double> steps_ns;
  for (const Piece& piece : order) steps_ns.push_back(costs.draw(correlator.work(piece), random));
  return {{options.seed, options.computing.slower}, costs.all(), std::move(steps_ns)};
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

  std::optional<apps::SleptSteps> slept;
  CorrelateStep correlate = [&](std::size_t piece, const double* values, std::int64_t) {
    correlator.correlate(order[piece], values, results);
  };
  if (options.computing.is_asleep) {
    slept.emplace(
        slept_steps(options, rank, layout, own, order, correlator, report.input, results, comm));
    correlate = [&](std::size_t piece, const double*, std::int64_t begin_ns) {
      slept->take(piece, begin_ns);
    };
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
  if (slept) {
    report.asleep = slept->report(comm);
  } else {
    report.findings = find(results, options.largest, comm);
  }
  return results;
}

}  // namespace mpiactor::vcc
