// reproduce: the papers' tables and figures from simulation, as one page with pictures.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "apps/common/printing.h"
#include "sim/reproduce/sections.h"
#include "third_party/cli11/cli.h"

namespace mpiactor::sim {

SweepInput sweep_of(const std::string& collective, const Machine& machine, const std::string& shape,
                    const std::string& algorithm, const std::string& sizes) {
  SweepInput sweep;
  sweep.base.machine = machine;
  sweep.base.shape = parse_shape(shape);
  sweep.base.algorithm = parse_algorithm(parse_collective(collective), algorithm, sweep.base.shape);
  sweep.sizes = parse_byte_list(sizes, "bytes");
  return sweep;
}

namespace {

using Section = void (*)(Document*);

const std::vector<std::pair<std::string, Section>> kSections = {
    {"waits", reproduce_waits},
    {"cluster", reproduce_cluster},
    {"cluster-library", reproduce_cluster_library},
    {"applications", reproduce_applications},
    {"k-table", reproduce_k_table},
    {"k-point-to-point", reproduce_k_point_to_point},
    {"k-large", reproduce_k_large},
    {"k-memory", reproduce_k_memory},
    {"fugaku-shapes", reproduce_fugaku_shapes},
    {"fugaku-auto", reproduce_fugaku_auto},
    {"fugaku-segments", reproduce_fugaku_segments},
    {"selection", reproduce_selection},
    {"selection-shapes", reproduce_selection_on_other_shapes},
    {"selection-exchanges", reproduce_selection_of_exchanges},
    {"fugaku-alltoall", reproduce_fugaku_alltoall},
    {"late-nodes", reproduce_late_nodes},
    {"whole", reproduce_whole_machine}};

// `bazel run` starts the program elsewhere and says where the source tree is.
std::string usual_folder() {
  const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  return workspace != nullptr ? std::string(workspace) + "/docs" : "docs";
}

void reproduce(const std::string& folder, const std::vector<std::string>& only) {
  Document document(folder);
  for (const auto& [name, section] : kSections) {
    if (!only.empty() && std::find(only.begin(), only.end(), name) == only.end()) continue;
    fmt::print("{}\n", name);
    std::fflush(stdout);
    section(&document);
  }
  document.write();
  fmt::print(
      "wrote {}/reproduction.md; {}\n", folder,
      document.all_met() ? "everything aimed at was met" : "not all aims were met, see there");
}

// Whether what was written is what is kept.
bool check(const std::string& folder, const std::string& kept) {
  const std::vector<std::string> found = differences(folder, kept);
  for (const std::string& difference : found) {
    fmt::print(stderr, "reproduce: {} lacks or has otherwise: {}\n", kept, difference);
  }
  return found.empty();
}

int run(int argc, char** argv) {
  cli::App app{"The papers' tables and figures from simulation"};
  std::string folder = usual_folder();
  std::vector<std::string> only;
  std::vector<std::string> names;
  for (const auto& section : kSections) names.push_back(section.first);
  app.add_option("--out", folder, "folder for reproduction.md and reproduction/")
      ->capture_default_str();
  app.add_option("--only", only, "sections to write, all by default")
      ->delimiter(',')
      ->check(cli::IsMember(names));
  std::string kept;
  app.add_option("--check", kept,
                 "folder of a page to compare with what is written to --out; fails where they "
                 "differ");
  if (const auto status = app.try_parse(argc, argv)) return *status;
  reproduce(folder, only);
  return kept.empty() || check(folder, kept) ? 0 : 1;
}

}  // namespace
}  // namespace mpiactor::sim

int main(int argc, char** argv) {
  return mpiactor::apps::run_printing("reproduce", [&] { return mpiactor::sim::run(argc, argv); });
}
