#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/contender.h"
#include "sim/library_plan.h"
#include "sim/reproduce/arrival_benchmark.h"
#include "sim/reproduce/sections.h"

namespace mpiactor::sim {
namespace {

constexpr int kNodes = 16;
constexpr int kRanksPerNode = 8;
constexpr double kSkewUs = 500;
constexpr const char* kMachine = "ddr_infiniband";
// [CP] parts its figures at the size up to which MVAPICH2 goes through shared memory.
constexpr std::uint64_t kMostThroughSharedMemory = 1 << 20;
constexpr const char* kShortSizes = "1,16,64,220,1K,4K,8K,16K,64K,256K,1M";
constexpr const char* kLongSizes = "1280K,2M,4M,8M,16M";

struct Figure {
  int number;
  double skew_us;
  const char* sizes;
};
constexpr Figure kFigures[] = {{18, 0, kShortSizes},
                               {19, kSkewUs, kShortSizes},
                               {20, 0, kLongSizes},
                               {21, kSkewUs, kLongSizes}};

// MPIActor: competitive leaders, pipelined.
double runtime_us(std::uint64_t bytes, double skew_us) {
  CollectiveInput call = sweep_of("bcast", load_machine(kMachine), std::to_string(kNodes),
                                  library_algorithm(bytes, kNodes), "1")
                             .base;
  call.bytes = bytes;
  call.ranks_per_node = kRanksPerNode;
  call.leader = LeaderPolicy::kCompetitive;
  return largest_mean_us(call, skew_us);
}

double library_us(Contender contender, std::uint64_t bytes, double skew_us) {
  ContenderInput input;
  input.machine = load_machine(kMachine);
  input.shape = parse_shape(std::to_string(kNodes));
  input.ranks_per_node = kRanksPerNode;
  input.bytes = bytes;
  input.contender = contender;
  BroadcastPlayer player(input);
  return largest_mean_us(input.layout(), skew_us, [&](std::span<const Picoseconds> arrivals) {
    return player.exits(0, 0, arrivals);
  });
}

struct Point {
  std::uint64_t bytes = 0;
  double runtime_us = 0;
  double two_level_us = 0;
  double flat_us = 0;

  double two_level_percent() const { return 100 * two_level_us / runtime_us; }
  double flat_percent() const { return 100 * flat_us / runtime_us; }
};

std::vector<Point> play(const Figure& figure) {
  const std::vector<std::uint64_t> sizes = parse_byte_list(figure.sizes, "bytes");
  std::vector<Point> points(sizes.size());
  parallel_sweep(fmt::format("Fig. {}", figure.number), sizes.size(), 0, [&](std::size_t k) {
    points[k] = {.bytes = sizes[k],
                 .runtime_us = runtime_us(sizes[k], figure.skew_us),
                 .two_level_us = library_us(Contender::kTwoLevel, sizes[k], figure.skew_us),
                 .flat_us = library_us(Contender::kPlain, sizes[k], figure.skew_us)};
  });
  return points;
}

Plot plot_of(const Figure& figure, const std::vector<Point>& points) {
  Curve runtime{.name = "MPIActor", .points = {}};
  Curve two_level{.name = "library, two-level", .points = {}};
  Curve flat{.name = "library, flat", .points = {}};
  for (const Point& point : points) {
    const auto bytes = static_cast<double>(point.bytes);
    runtime.points.emplace_back(bytes, point.runtime_us);
    two_level.points.emplace_back(bytes, point.two_level_us);
    flat.points.emplace_back(bytes, point.flat_us);
  }
  return {.title = fmt::format("Fig. {}: K = {} ms, 16 nodes x 8 ranks", figure.number,
                               figure.skew_us / 1000),
          .x_label = "message bytes",
          .y_label = "time us",
          .log_x = true,
          .log_y = true,
          .curves = {runtime, two_level, flat}};
}

struct Range {
  double least = 1e9;
  double most = 0;

  std::string text() const { return fmt::format("{:.0f} to {:.0f} %", least, most); }
  bool is_within(double from, double to, double share) const {
    return least >= from * (1 - share) && most <= to * (1 + share);
  }
};

Range range_of(const std::vector<Point>& points, std::uint64_t most_bytes,
               double (Point::*percent)() const) {
  Range range;
  for (const Point& point : points) {
    if (point.bytes > most_bytes) continue;
    range.least = std::min(range.least, (point.*percent)());
    range.most = std::max(range.most, (point.*percent)());
  }
  return range;
}

// Both ends of the published range, met by the same model of the library.
void add_long_targets(const std::vector<Point>& points, Document* document) {
  const Range two_level = range_of(points, ~std::uint64_t{0}, &Point::two_level_percent);
  const Range flat = range_of(points, ~std::uint64_t{0}, &Point::flat_percent);
  const auto reaches_both_ends = [](const Range& range) {
    return std::abs(range.least / 168 - 1) <= 0.1 && std::abs(range.most / 258 - 1) <= 0.1;
  };
  document->target(
      "[CP] Fig. 20: longer messages, balanced, against a flat library",
      flat.text() + " of MPIActor's time", "168 to 258 %, both ends within 10 %",
      reaches_both_ends(flat),
      "what MVAPICH2 ran, by a later version's source; what the ranks of a node cost each other "
      "there is not modelled but for their memory and link");
  document->target("[CP] Fig. 20: longer messages, balanced, against a two-level library",
                   two_level.text() + " of MPIActor's time", "168 to 258 %, both ends within 10 %",
                   reaches_both_ends(two_level),
                   "copies that wait for the whole message; not what MVAPICH2 ran there");
}

void add_short_targets(const std::vector<Point>& points, Document* document) {
  constexpr std::uint64_t kAsScanned = 220;
  for (const std::uint64_t most : {kAsScanned, kMostThroughSharedMemory}) {
    const Range two_level = range_of(points, most, &Point::two_level_percent);
    const Range flat = range_of(points, most, &Point::flat_percent);
    document->target(
        fmt::format("[CP] Fig. 18: up to {} B, balanced: MVAPICH2 as fast as MPIActor", most),
        fmt::format("two-level {}, flat {} of MPIActor's time", two_level.text(), flat.text()),
        "100 % within 10 %, two-level", two_level.is_within(100, 100, 0.1),
        most == kAsScanned
            ? "the scan's 220"
            : "2^20, as the 220 is likely meant; a two-level library that waits for the whole "
              "message loses its copies' time from some KiB on");
  }
}

// Figs 19 and 21.
void add_skewed_target(const Figure& figure, const std::vector<Point>& points, Document* document) {
  const Range two_level = range_of(points, ~std::uint64_t{0}, &Point::two_level_percent);
  const Range flat = range_of(points, ~std::uint64_t{0}, &Point::flat_percent);
  document->target(
      fmt::format("[CP] Fig. {}: K = 0.5 ms: MPIActor faster than MVAPICH2 at every size",
                  figure.number),
      fmt::format("two-level {}, flat {} of MPIActor's time", two_level.text(), flat.text()),
      "above 100 %, both", two_level.least > 100 && flat.least > 100,
      "the paper's text has no number for it");
}

}  // namespace

void reproduce_cluster_library(Document* document) {
  document->heading("[CP] Figs 18 to 21: against a library that does not pipeline");
  document->paragraph(
      "Machine `ddr_infiniband`, 16 nodes x 8 ranks, measured as in Figs 12 to 17. *MPIActor*: "
      "competitive and pipelined, binomial below 12 KiB, then RDAAS, from 512 KiB on RingAAS. The "
      "library makes the same choice, and sends whole messages. *Two-level*: between the nodes' "
      "leaders; then all others copy. *Flat*: every rank takes part for itself; the ranks of a "
      "node share its link, and copy through its memory what they send each other. Both are the "
      "contenders of [simulation.md](simulation.md#closed-loop). A number is the library's time "
      "over MPIActor's, in percent.");
  document->paragraph(
      "The paper says that both are nearly equal in the balanced case (K = 0) for messages below "
      "\"220 bytes\". For longer ones MPIActor has 168 to 258 % of the speed of MVAPICH2 1.2. "
      "The scan has lost its superscripts, and 220 is likely 2^20: the paper names it "
      "together with 12,288 bytes for MVAPICH2, whose source (of 2011, a later version) parts its "
      "broadcasts at 12,288 bytes and at 2^20. Between them it goes through shared memory, which "
      "is "
      "two-level, beyond by all ranks, which is flat. So Figs 18 and 19 (*short*) are drawn here "
      "up "
      "to 2^20, 20 and 21 (*long*) beyond, and both readings have a row above. The figures' own "
      "numbers did not survive.");
  std::vector<std::vector<std::string>> rows;
  for (const Figure& figure : kFigures) {
    const std::vector<Point> points = play(figure);
    document->picture(plot_of(figure, points), fmt::format("cp_fig{}", figure.number));
    for (const Point& point : points) {
      rows.push_back({std::to_string(figure.number), fmt::format("{}", figure.skew_us / 1000),
                      format_bytes(point.bytes), number(point.runtime_us),
                      number(point.two_level_us), number(point.flat_us),
                      fmt::format("{:.0f} %", point.two_level_percent()),
                      fmt::format("{:.0f} %", point.flat_percent())});
    }
    if (figure.skew_us > 0) {
      add_skewed_target(figure, points, document);
    } else if (figure.sizes == kShortSizes) {
      add_short_targets(points, document);
    } else {
      add_long_targets(points, document);
    }
  }
  document->table(
      {"Fig.", "K ms", "bytes", "MPIActor us", "two-level us", "flat us", "two-level", "flat"},
      rows);
}

}  // namespace mpiactor::sim
