// No dip, no regret: the time of the selected broadcast beside the best of all.
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string>

#include "sim/reproduce/regret.h"
#include "sim/reproduce/sections.h"

namespace mpiactor::sim {
namespace {

constexpr const char* kSizes = "1..1G";
constexpr double kMostRegret = 0.05;
// A simulated time may depend on the order of two messages at one moment; what is less than this is
// not called a dip.
constexpr double kNoise = 0.005;

struct Sweep {
  std::string machine;
  std::vector<std::string> shapes;
};

// Tori of the papers' sizes.
const std::vector<Sweep>& papers_sweeps() {
  static const std::vector<Sweep> all = {
      {"fugaku",
       {"384", "64x6", "8x6x8", "3072", "48x64", "16x12x16", "48x6x32", "144x192", "48x12x48"}},
      {"k", {"384", "64x6", "8x6x8", "16x12x16"}},
      {"k_model", {"384", "64x6", "8x6x8"}}};
  return all;
}

// One to three axes of 2 to 12 nodes, with and without wrap-around.
std::vector<std::string> random_shapes(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  std::vector<std::string> shapes;
  while (shapes.size() < count) {
    inter::Shape shape;
    const std::uint64_t axes = 1 + random() % 3;
    for (std::uint64_t axis = 0; axis < axes; ++axis) {
      shape.extent[axis] = 2 + static_cast<int>(random() % 11);
      shape.wraps[axis] = random() % 2 == 0;
    }
    shapes.push_back(format_shape(shape));
  }
  return shapes;
}

// Rings, meshes, both mixed, primes, and sizes at random.
std::vector<Sweep> other_sweeps() {
  std::vector<std::string> shapes = {"13",       "37",     "100",    "12x6x12", "7x13x5",
                                     "13m",      "100m",   "8mx6m",  "31mx17m", "4mx4mx4m",
                                     "8mx6mx8m", "8x6x8m", "8x6mx8", "8mx6mx8", "64mx6"};
  constexpr std::uint64_t kSeed = 1;
  for (const std::string& shape : random_shapes(kSeed, 6)) shapes.push_back(shape);
  return {{"fugaku", shapes}, {"k", shapes}, {"k_model", shapes}};
}

struct Measured {
  std::string machine;
  std::string shape;
  std::vector<RegretPoint> points;
  std::vector<double> vendor_us;
};

Measured measure(const std::string& machine, const std::string& shape) {
  RegretField field(load_machine(machine), parse_shape(shape));
  const std::vector<std::uint64_t> sizes = parse_byte_list(kSizes, "bytes");
  Measured measured{machine, shape, std::vector<RegretPoint>(sizes.size()),
                    std::vector<double>(sizes.size())};
  parallel_sweep(fmt::format("selection on {}, {}", machine, shape), sizes.size(), 0,
                 [&](std::size_t k) {
                   measured.points[k] = field.measure(sizes[k]);
                   measured.vendor_us[k] = field.vendor_us(sizes[k]);
                 });
  return measured;
}

std::vector<Measured> measure(const std::vector<Sweep>& sweeps) {
  std::vector<Measured> all;
  for (const Sweep& sweep : sweeps) {
    for (const std::string& shape : sweep.shapes) all.push_back(measure(sweep.machine, shape));
  }
  return all;
}

const RegretPoint& worst(const std::vector<RegretPoint>& points) {
  return *std::max_element(
      points.begin(), points.end(),
      [](const RegretPoint& a, const RegretPoint& b) { return a.regret() < b.regret(); });
}

// Throughput of a size over that of the one before.
struct Growth {
  double selected = 2;
  double best = 2;  // of the best of all at both sizes
};

// Where it is least for the selection.
Growth least_growth(const std::vector<RegretPoint>& points) {
  Growth least;
  for (std::size_t k = 1; k < points.size(); ++k) {
    const RegretPoint& before = points[k - 1];
    const RegretPoint& here = points[k];
    const double selected = here.throughput_mbps() / before.throughput_mbps();
    if (selected >= least.selected) continue;
    const double sizes = static_cast<double>(here.bytes) / static_cast<double>(before.bytes);
    least = {.selected = selected, .best = sizes * before.best.time_us / here.best.time_us};
  }
  return least;
}

std::vector<std::string> table_row(const Measured& measured) {
  const RegretPoint& most = worst(measured.points);
  double vendor = 0;
  std::uint64_t vendor_bytes = 0;
  std::size_t tried = 0;
  for (std::size_t k = 0; k < measured.points.size(); ++k) {
    const RegretPoint& point = measured.points[k];
    tried += point.tried;
    const double behind = measured.vendor_us[k] / point.best.time_us;
    if (behind <= vendor) continue;
    vendor = behind;
    vendor_bytes = point.bytes;
  }
  return {measured.machine,
          measured.shape,
          fmt::format("{:+.1f} %", 100 * most.regret()),
          format_bytes(most.bytes),
          most.selected.text(),
          most.best.text(),
          fmt::format("{:.3f}", least_growth(measured.points).selected),
          fmt::format("{:.1f} times at {}", vendor, format_bytes(vendor_bytes)),
          std::to_string(tried)};
}

void add_table(const std::vector<Measured>& all, Document* document) {
  std::vector<std::vector<std::string>> rows;
  for (const Measured& measured : all) rows.push_back(table_row(measured));
  document->table({"machine", "shape", "worst regret", "at", "selected, segment", "best, segment",
                   "growth", "vendor behind the best, worst", "simulated beside it"},
                  rows);
}

void add_targets(const std::string& shapes, const std::vector<Measured>& all,
                 const std::string& why_dip, Document* document) {
  double regret = 0;
  Growth growth;
  std::string where;
  std::size_t beyond = 0;
  std::size_t points = 0;
  for (const Measured& measured : all) {
    const RegretPoint& most = worst(measured.points);
    if (most.regret() >= regret) {
      regret = most.regret();
      where =
          fmt::format("{} on {}, {}", format_bytes(most.bytes), measured.machine, measured.shape);
    }
    const Growth least = least_growth(measured.points);
    if (least.selected < growth.selected) growth = least;
    points += measured.points.size();
    beyond += static_cast<std::size_t>(
        std::count_if(measured.points.begin(), measured.points.end(),
                      [](const RegretPoint& point) { return point.regret() > kMostRegret; }));
  }
  document->target(
      fmt::format("No regret, {}: the selected algorithm and segment against the best of all",
                  shapes),
      fmt::format("at most {:+.1f} % ({}); {} of {} beyond 5 %", 100 * regret, where, beyond,
                  points),
      "within 5 %", regret <= kMostRegret, "formulas in place of a simulation");
  const bool falls = growth.selected < 1 - kNoise;
  document->target(
      fmt::format("No dip, {}: throughput of the selection as the size doubles", shapes),
      fmt::format("at least {:.3f} times{}", growth.selected,
                  falls ? fmt::format(", that of the best of all {:.3f} there", growth.best) : ""),
      "never falls", !falls, why_dip);
}

Plot plot_of(const char* nodes) {
  return {
      .title = fmt::format("Bcast on {} nodes of fugaku: selection and the vendor's choice", nodes),
      .x_label = "message bytes",
      .y_label = "throughput MB/s",
      .log_x = true,
      .log_y = true,
      .curves = {}};
}

void add_curves(const Measured& measured, Plot* plot) {
  Curve selected{.name = fmt::format("{} selected", measured.shape), .points = {}};
  Curve vendor{.name = fmt::format("{} vendor", measured.shape), .points = {}};
  for (std::size_t k = 0; k < measured.points.size(); ++k) {
    const auto bytes = static_cast<double>(measured.points[k].bytes);
    selected.points.emplace_back(bytes, measured.points[k].throughput_mbps());
    vendor.points.emplace_back(bytes, bytes / measured.vendor_us[k]);
  }
  plot->curves.push_back(std::move(selected));
  plot->curves.push_back(std::move(vendor));
}

}  // namespace

void reproduce_selection(Document* document) {
  document->heading("No dip, no regret: selection");
  document->paragraph(
      "What `inter/select` chooses from shape, size and the machine's link parameters, beside "
      "the best of the twelve broadcasts that have a model. All are simulated, from root 0, for "
      "1 B to 1 GiB in powers of two, with segments of 512 B to 4 MiB in powers of two and "
      "whole. The shape itself is the network: a line of 3,072 nodes is a ring of 3,072. Times "
      "of long messages follow from a steady state (`sim/reproduce/steady_state.h`). Left out is "
      "what the model puts behind the best so far by more than 2 times on up to 384 nodes, or "
      "1.2 times on more. On 27,648 nodes all but the likeliest six are left out. *Growth* is "
      "the least throughput of a size over that of half the size. The vendor's choice [Fugaku] "
      "is binary up to 512 B, Bintree3d up to 32 KiB, Trinaryx6 beyond, with the paper's best "
      "segments.");
  const std::vector<Measured> papers = measure(papers_sweeps());
  add_table(papers, document);
  std::vector<Plot> plots = {plot_of("384"), plot_of("3,072"), plot_of("27,648")};
  for (const Measured& measured : papers) {
    const std::int64_t nodes = parse_shape(measured.shape).nodes();
    if (measured.machine != "fugaku" || nodes == 9216) continue;
    add_curves(measured, &plots[nodes == 384 ? 0 : nodes == 3072 ? 1 : 2]);
  }
  document->picture(plots[0], "selection_384");
  document->picture(plots[1], "selection_3072");
  document->picture(plots[2], "selection_27648");
  add_targets("tori of the papers' sizes", papers,
              "K, 8x6x8, longest messages: six streams take turns on four interfaces, and how they "
              "fall in step depends on the segment by a few percent",
              document);
}

void reproduce_selection_on_other_shapes(Document* document) {
  document->heading("No dip, no regret: other shapes");
  document->paragraph(
      "As above, on rings, meshes (`m`: an axis without wrap-around), both mixed, primes, and six "
      "shapes drawn "
      "at random. Root 0 is a corner where there are such axes.");
  const std::vector<Measured> others = measure(other_sweeps());
  add_table(others, document);
  add_targets(
      "other shapes", others,
      "from eager to rendezvous on two nodes of `k`, which no choice avoids; a few percent on some "
      "others, see there",
      document);
}

}  // namespace mpiactor::sim
