#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/reproduce/sections.h"

namespace mpiactor::sim {
namespace {

// [K-MPI]: what a peer takes in each mode.
constexpr double kFastBytes = 1048576 + 128 * 256;
constexpr double kSavingBytes = 2048;
constexpr double kGigabyte = 1e9;
constexpr double kAfterInitGb = 0.08;  // measured on 9,216 nodes
constexpr int kNodes = 9216;

struct Mode {
  const char* name;
  int most_fast;  // peers
  double published_gb;
};
constexpr Mode kModes[] = {{"saving", 0, 0.14},
                           {"at most 1,024 fast peers", 1024, 1.52},
                           {"all peers fast", kNodes, 12.9}};

// After an alltoall by simple spread, in which every peer is met.
double memory_gb(const Mode& mode, int nodes) {
  const int peers = nodes - 1;
  const int fast = std::min(peers, mode.most_fast);
  return kAfterInitGb + (fast * kFastBytes + (peers - fast) * kSavingBytes) / kGigabyte;
}

}  // namespace

void reproduce_k_memory(Document* document) {
  document->heading("[K-MPI] Fig. 10: memory of a process over the number of nodes");
  document->paragraph(
      "Not simulated: the paper's own sizes, added up. A peer takes 2 KB in saving mode, 1 MB and "
      "32 KB (256 messages of 128 B) in fast mode. A process that has met nobody takes 0.08 GB, "
      "which is the measured figure on 9,216 nodes. The published points are of an alltoall by "
      "simple spread, in which every process meets every other.");
  Plot plot{.title = "Memory of a process of K's MPI",
            .x_label = "nodes",
            .y_label = "GB",
            .log_x = true,
            .log_y = true,
            .curves = {}};
  std::vector<std::vector<std::string>> rows;
  for (const Mode& mode : kModes) {
    Curve curve{.name = mode.name, .points = {}};
    for (int nodes = 9; nodes <= kNodes; nodes *= 2) {
      curve.points.emplace_back(nodes, memory_gb(mode, nodes));
    }
    plot.curves.push_back(std::move(curve));
    plot.curves.push_back(
        {.name = std::string(mode.name) + ", published", .points = {{kNodes, mode.published_gb}}});
    const double found = memory_gb(mode, kNodes);
    const int of_mode = mode.most_fast > 0 ? std::min(mode.most_fast, kNodes - 1) : kNodes - 1;
    const double others =
        (kNodes - 1 - of_mode) * (kModes[0].published_gb - kAfterInitGb) / (kNodes - 1);
    const double measured_kb =
        (mode.published_gb - kAfterInitGb - others) * kGigabyte / of_mode / 1000;
    const double named_kb = (mode.most_fast > 0 ? kFastBytes : kSavingBytes) / 1000;
    rows.push_back({mode.name, fmt::format("{:.3f}", found), fmt::format("{}", mode.published_gb),
                    deviation(found, mode.published_gb), number(named_kb), number(measured_kb)});
    document->target(
        fmt::format("[K-MPI] Fig. 10, {}: memory on 9,216 nodes", mode.name),
        fmt::format("{:.3f} GB", found), fmt::format("{} GB within 10 %", mode.published_gb),
        std::abs(found / mode.published_gb - 1) <= 0.1,
        fmt::format("the sizes that the text names make {} KB a peer, the measured figure {}: what "
                    "else a peer takes is not in the paper",
                    number(named_kb), number(measured_kb)));
  }
  document->picture(plot, "k_fig10");
  document->table({"mode", "GB", "published", "deviation", "named KB a peer", "measured KB a peer"},
                  rows);
  document->paragraph(
      "This runtime has no buffers for each peer. What it takes itself, some MiB a rank and a "
      "node, "
      "is the same on two nodes and on 82,944: `mpiactor-info --memory --nodes 9216 --ppn 1` adds "
      "it up from the types that it allocates with, see "
      "[operations.md](operations.md#how-much-memory). The MPI library below it takes its own for "
      "its connections, which that does not count.");
}

}  // namespace mpiactor::sim
