#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/reproduce/arrival_benchmark.h"
#include "sim/reproduce/sections.h"

namespace mpiactor::sim {
namespace {

constexpr const char* kSizes = "1,16,256,1K,4K,8K,12K,16K,32K,64K,128K,192K,256K,310000";
constexpr double kSkewUs = 500;

struct Figure {
  int number;
  const char* name;
  const char* algorithm;
  int nodes;
  int ranks_per_node;
};

constexpr Figure kFigures[] = {{12, "BT", "binomial", 16, 4},  {13, "BT", "binomial", 16, 8},
                               {14, "RDAAS", "rdaas", 16, 4},  {15, "RDAAS", "rdaas", 16, 8},
                               {16, "RingAAS", "ring", 10, 4}, {17, "RingAAS", "ring", 10, 8}};

Curve simulate_curve(const Figure& figure, LeaderPolicy policy, double skew_us) {
  const SweepInput sweep = sweep_of("bcast", load_machine("ddr_infiniband"),
                                    std::to_string(figure.nodes), figure.algorithm, kSizes);
  std::vector<double> times(sweep.sizes.size());
  parallel_sweep(figure.name, times.size(), 0, [&](std::size_t k) {
    CollectiveInput call = sweep.base;
    call.bytes = sweep.sizes[k];
    call.ranks_per_node = figure.ranks_per_node;
    call.leader = policy;
    times[k] = largest_mean_us(call, skew_us);
  });
  Curve curve{.name = fmt::format("{}{}, K = {} ms", policy == LeaderPolicy::kStatic ? "P-" : "CP-",
                                  figure.name, skew_us / 1000),
              .points = {}};
  for (std::size_t k = 0; k < times.size(); ++k) {
    curve.points.emplace_back(static_cast<double>(sweep.sizes[k]), times[k]);
  }
  return curve;
}

}  // namespace

void reproduce_cluster(Document* document) {
  document->heading("[CP] Figs 12 to 17: static and competitive leaders on a cluster");
  document->paragraph(fmt::format(
      "Machine `ddr_infiniband`, largest over the ranks of the mean time in the call (Fig. 11), K "
      "= 0 and 0.5 ms, {} repetitions with uniform arrivals. The paper shows curves without "
      "numbers, so their shape is what can be compared: with K = 0 the two policies cost the same, "
      "with K = 0.5 ms the competitive one costs less at every size.",
      kArrivalRepetitions));
  std::vector<std::vector<std::string>> rows;
  double worst = 0;
  for (const Figure& figure : kFigures) {
    Plot plot{.title = fmt::format("Fig. {}: CP-{} and P-{}, {} nodes x {} ranks", figure.number,
                                   figure.name, figure.name, figure.nodes, figure.ranks_per_node),
              .x_label = "message bytes",
              .y_label = "time us",
              .log_x = true,
              .log_y = false,
              .curves = {}};
    for (const double skew_us : {0.0, kSkewUs}) {
      plot.curves.push_back(simulate_curve(figure, LeaderPolicy::kStatic, skew_us));
      plot.curves.push_back(simulate_curve(figure, LeaderPolicy::kCompetitive, skew_us));
    }
    document->picture(plot, fmt::format("cp_fig{}", figure.number));
    const auto& fixed = plot.curves[2].points;
    const auto& first = plot.curves[3].points;
    double lowest = 1e9;
    double highest = 0;
    for (std::size_t k = 0; k < fixed.size(); ++k) {
      const double ratio = first[k].second / fixed[k].second;
      lowest = std::min(lowest, ratio);
      highest = std::max(highest, ratio);
    }
    worst = std::max(worst, highest);
    rows.push_back({std::to_string(figure.number), figure.name,
                    fmt::format("{} x {}", figure.nodes, figure.ranks_per_node),
                    number(fixed[3].second), number(first[3].second), number(fixed.back().second),
                    number(first.back().second), fmt::format("{:.2f} to {:.2f}", lowest, highest)});
  }
  document->table({"Fig.", "algorithm", "nodes x ranks", "P 1 KiB us", "CP 1 KiB us", "P 310 KB us",
                   "CP 310 KB us", "CP / P over all sizes"},
                  rows);
  document->target("[CP] Figs 12 to 17: competitive costs less at K = 0.5 ms, every size",
                   fmt::format("at most {:.2f} of static", worst), "below 1", worst < 1, "-");
}

}  // namespace mpiactor::sim
