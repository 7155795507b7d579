#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>

#include "sim/reproduce/sections.h"

namespace mpiactor::sim {

void reproduce_whole_machine(Document* document) {
  document->heading("All of K: 82,944 nodes");
  SweepInput sweep = sweep_of("bcast", load_machine("k"), "48x36x48", "trinaryx3", "16M");
  sweep.threads = 1;
  const auto begin = std::chrono::steady_clock::now();
  const SweepPoint point = sweep_sizes(sweep).front();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const double rate = point.transfers / seconds;
  document->paragraph(fmt::format(
      "16 MiB by Trinaryx3 in segments of 16 KiB over 48x36x48 nodes of machine `k`: {} us, {} "
      "MB/s. {:.1f} million transfers were simulated in {:.1f} s on one core; the program's memory "
      "never exceeded {} MiB. (Only these speeds depend on the computer that wrote this page.)",
      number(point.time_us), number(point.throughput_mbps), point.transfers / 1e6, seconds,
      usage.ru_maxrss / 1024));
  document->target("transfers simulated per second on one core", number(rate / 1e6) + " million",
                   "at least 5 million", rate >= 5e6, "depends on the computer");
  document->target("16 MiB over all of K",
                   fmt::format("{:.1f} s, {} MiB", seconds, usage.ru_maxrss / 1024),
                   "under 60 s and 2 GiB", seconds < 60 && usage.ru_maxrss < 2 * 1024 * 1024,
                   "depends on the computer");
}

}  // namespace mpiactor::sim
