#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/reproduce/sections.h"

namespace mpiactor::sim {
namespace {

constexpr const char* kShape = "16x12x16";
constexpr double kLatencyUs = 1.73;  // of machine fugaku, [Fugaku] fitted to Trinaryx6
constexpr double kLinkMbps = 6340;
constexpr const char* kSegments =
    "2K,3K,4K,6K,8K,12K,16K,24K,32K,48K,64K,96K,128K,192K,256K,512K,1M";

struct Case {
  const char* algorithm;
  double rounds;  // denominator of the formula: depth
  double parts;   // streams that share the message
};

// [Fugaku] eq. 5: sqrt(L B M / (6 (NX + NY + NZ - 2))); eq. 7:
// sqrt(L B M / (floor(log2 NX) + floor(log2 NY) + floor(log2 NZ) - 1)).
constexpr Case kCases[] = {{"trinaryx6", 16 + 12 + 16 - 2, 6}, {"bintree3d", 4 + 3 + 4 - 1, 1}};

double best_segment(const Case& c, double bytes) {
  return std::sqrt(kLatencyUs * kLinkMbps * bytes / (c.parts * c.rounds));
}

double simulate_us(const Case& c, std::uint64_t bytes, std::uint64_t segment) {
  SweepInput sweep =
      sweep_of("bcast", load_machine("fugaku"), kShape, c.algorithm, std::to_string(bytes));
  sweep.base.segment_bytes = segment;
  return sweep_sizes(sweep).front().time_us;
}

void sweep_segments(const Case& c, std::uint64_t bytes, Plot* plot,
                    std::vector<std::vector<std::string>>* rows, Document* document) {
  const std::vector<std::uint64_t> segments = parse_byte_list(kSegments, "segment");
  std::vector<double> times(segments.size() + 1);
  const auto formula = static_cast<std::uint64_t>(best_segment(c, static_cast<double>(bytes)));
  parallel_sweep(fmt::format("segments of {}", c.algorithm), times.size(), 0, [&](std::size_t k) {
    times[k] = simulate_us(c, bytes, k < segments.size() ? segments[k] : formula);
  });
  Curve curve{.name = fmt::format("{} {}", c.algorithm, format_bytes(bytes)), .points = {}};
  for (std::size_t k = 0; k < segments.size(); ++k) {
    curve.points.emplace_back(static_cast<double>(segments[k]), times[k]);
  }
  plot->curves.push_back(std::move(curve));
  const auto best = std::min_element(times.begin(), times.end());
  const auto at = static_cast<std::size_t>(best - times.begin());
  const std::uint64_t best_bytes = at < segments.size() ? segments[at] : formula;
  rows->push_back({c.algorithm, format_bytes(bytes), std::to_string(formula), number(times.back()),
                   format_bytes(best_bytes), number(*best), deviation(times.back(), *best)});
  document->target(
      fmt::format("[Fugaku] Fig. 8, {} {}: time at m_opt", c.algorithm, format_bytes(bytes)),
      deviation(times.back(), *best) + " of the best segment's", "within 10 %",
      times.back() <= 1.1 * *best,
      "the formula counts full rounds of L + m/B; segments of a part do not divide it evenly");
}

}  // namespace

void reproduce_fugaku_segments(Document* document) {
  document->heading("[Fugaku] Fig. 8: segment sizes");
  document->paragraph(fmt::format(
      "Machine `fugaku`, shape {}, segments from 2 KiB to 1 MiB and the formula's m_opt with L = "
      "{} "
      "us and B = {} MB/s (the paper's fit to Trinaryx6, which are the machine's parameters; its "
      "separate fit to Bintree3d would give a segment 1.6 times as long). As in the paper, the "
      "best segment of Bintree3d is shorter than the formula's, at little cost.",
      kShape, kLatencyUs, kLinkMbps));
  Plot plot{.title = fmt::format("Bcast time over segment size, {}", kShape),
            .x_label = "segment bytes",
            .y_label = "time us",
            .log_x = true,
            .log_y = true,
            .curves = {}};
  std::vector<std::vector<std::string>> rows;
  for (const Case& c : kCases) {
    for (const std::uint64_t bytes : parse_byte_list("256K,1M,4M,16M", "bytes")) {
      sweep_segments(c, bytes, &plot, &rows, document);
    }
  }
  document->table(
      {"algorithm", "bytes", "m_opt", "time at m_opt us", "best segment", "its time us", "excess"},
      rows);
  document->picture(plot, "fugaku_segments");
}

}  // namespace mpiactor::sim
