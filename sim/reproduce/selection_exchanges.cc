// What selection loses in collectives in which all nodes exchange, and in reductions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "inter/select.h"
#include "sim/reproduce/regret.h"
#include "sim/reproduce/sections.h"

namespace mpiactor::sim {
namespace {

constexpr double kMostRegret = 0.05;
constexpr double kLargeRegret = 0.25;

const std::vector<std::string> kMachines = {"fugaku", "k_model"};
const std::vector<std::string> kShapes = {"13",  "16",  "31",    "8m",      "100m",
                                          "5x7", "8x8", "4x6x4", "8mx4x3m", "8x6x8"};

struct Measured {
  inter::Collective collective;
  std::string machine;
  std::string shape;
  RegretPoint point;
};

std::vector<Measured> measure(inter::Collective collective, const char* sizes) {
  std::vector<Measured> all;
  for (const std::string& machine : kMachines) {
    for (const std::string& shape : kShapes) {
      for (const std::uint64_t bytes : parse_byte_list(sizes, "bytes")) {
        all.push_back({collective, machine, shape, {.bytes = bytes, .selected = {}, .best = {}}});
      }
    }
  }
  parallel_sweep(fmt::format("selection of {}", inter::collective_name(collective)), all.size(), 0,
                 [&](std::size_t k) {
                   Measured& here = all[k];
                   here.point = measure_regret(collective, load_machine(here.machine),
                                               parse_shape(here.shape), here.point.bytes);
                 });
  return all;
}

}  // namespace

void reproduce_selection_of_exchanges(Document* document) {
  document->heading("No regret: reductions and exchanges");
  document->paragraph(
      "As above, for the other collectives that selection knows, on rings, meshes, primes and both "
      "mixed. Sizes: 64 B to 4 MiB of a vector, 64 B to 64 KiB of a block, in powers of four. "
      "*Mean* is the geometric mean of the selection's time over that of the best.");
  std::vector<std::vector<std::string>> rows;
  for (const auto& [collective, sizes] :
       {std::pair(inter::Collective::kReduce, "64,256,1K,4K,16K,64K,256K,1M,4M"),
        {inter::Collective::kAllreduce, "64,256,1K,4K,16K,64K,256K,1M,4M"},
        {inter::Collective::kAllgather, "64,256,1K,4K,16K,64K"},
        {inter::Collective::kAlltoall, "64,256,1K,4K,16K,64K"}}) {
    const std::vector<Measured> all = measure(collective, sizes);
    double logarithms = 0;
    const auto beyond = [&](double regret) {
      return std::count_if(all.begin(), all.end(),
                           [=](const Measured& each) { return each.point.regret() > regret; });
    };
    for (const Measured& each : all) logarithms += std::log1p(each.point.regret());
    const Measured& worst = *std::max_element(
        all.begin(), all.end(),
        [](const Measured& a, const Measured& b) { return a.point.regret() < b.point.regret(); });
    const std::string name(inter::collective_name(collective));
    const std::string where =
        fmt::format("{} on {}, {}", format_bytes(worst.point.bytes), worst.machine, worst.shape);
    rows.push_back(
        {name, fmt::format("{:.3f}", std::exp(logarithms / static_cast<double>(all.size()))),
         fmt::format("{} of {}", beyond(kMostRegret), all.size()),
         std::to_string(beyond(kLargeRegret)), fmt::format("{:+.1f} %", 100 * worst.point.regret()),
         where, worst.point.selected.text(), worst.point.best.text()});
    document->target(
        fmt::format("No regret, {}: the selected algorithm and segment against the best", name),
        fmt::format("at most {:+.1f} % ({}); {} of {} beyond 5 %", 100 * worst.point.regret(),
                    where, beyond(kMostRegret), all.size()),
        "within 5 %", worst.point.regret() <= kMostRegret, "formulas in place of a simulation");
  }
  document->table({"collective", "mean", "beyond 5 %", "beyond 25 %", "worst regret", "at",
                   "selected, segment", "best, segment"},
                  rows);
}

}  // namespace mpiactor::sim
