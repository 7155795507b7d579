#include "sim/contest.h"

#include <fmt/format.h>

#include <utility>

namespace mpiactor::sim {
namespace {

double microseconds(Picoseconds time) {
  return static_cast<double>(time) / static_cast<double>(kPicosecondsPerMicrosecond);
}

}  // namespace

RootSender sender_of(const ContestInput& input, Contender contender) {
  if (contender == Contender::kStatic) return input.static_sender;
  return contender == Contender::kCompetitive ? input.competitive_sender : RootSender::kRoot;
}

std::vector<ContestPoint> run_contest(const ContestInput& input) {
  std::vector<ContestPoint> points;
  for (const Picoseconds noise : input.noises) points.push_back({.noise = noise, .results = {}});
  constexpr std::size_t kEach = kContenders.size();
  parallel_sweep(input.base.application.name, points.size() * kEach, input.threads,
                 [&](std::size_t task) {
                   ContestPoint& point = points[task / kEach];
                   ClosedLoopInput loop = input.base;
                   loop.contender.contender = kContenders[task % kEach];
                   loop.contender.sender = sender_of(input, loop.contender.contender);
                   loop.noise.largest = point.noise;
                   point.results[task % kEach] = run_closed_loop(loop);
                 });
  return points;
}

Picoseconds noise_of_spread(const ContestInput& input, double spread_us) {
  ClosedLoopInput loop = input.base;
  loop.contender.contender = Contender::kPlain;
  return find_noise(loop, spread_us);
}

Plot plot_of(const ContestInput& contest, const std::vector<ContestPoint>& points) {
  Plot plot{
      .title = fmt::format("{}: mean time in the broadcast, {} noise",
                           contest.base.application.name, noise_kind_name(contest.base.noise.kind)),
      .x_label = "largest noise us",
      .y_label = "time us",
      .log_x = false,
      .log_y = false,
      .curves = {}};
  for (const Contender contender : kContenders) {
    Curve curve{.name = contender_name(contender), .points = {}};
    for (const ContestPoint& point : points) {
      curve.points.emplace_back(microseconds(point.noise), point.of(contender).in_call_mean_us);
    }
    plot.curves.push_back(std::move(curve));
  }
  return plot;
}

}  // namespace mpiactor::sim
