#include "apps/common/cost_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "apps/common/agree.h"

namespace mpiactor::apps {
namespace {

using Json = nlohmann::json;

Json read_report(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error("cannot be opened");
  const Json report = Json::parse(stream, nullptr, false);
  if (!report.is_object() || !report.contains("asleep") || !report["asleep"].is_object()) {
    throw std::runtime_error("is not the JSON report of a run with --computing asleep");
  }
  return report;
}

// As a report has it: what is not UTF-8 is replaced there.
Json printed(const std::string& input) {
  return Json::parse(Json(input).dump(-1, ' ', false, Json::error_handler_t::replace));
}

// Rank by rank, of each kind its samples.
std::vector<double> samples_of(const Json& report, const std::string& input,
                               const std::vector<UnitCosts*>& kinds, int ranks) {
  // Only a text and a number are looked into: others may be nested deeper than the stack is.
  const auto of = [&](const char* key) {
    return report.contains(key) && report[key].is_primitive() ? report[key] : Json();
  };
  if (of("input") != printed(input) || of("ranks") != ranks) {
    throw std::runtime_error(fmt::format("is of input {} on {} ranks; this run has {} on {}",
                                         of("input").dump(), of("ranks").dump(), input, ranks));
  }
  std::vector<double> samples;
  for (int rank = 0; rank < ranks; ++rank) {
    for (const UnitCosts* kind : kinds) {
      const auto mine = report["asleep"]
                            .at("samples_ns")
                            .at(kind->kind())
                            .at(static_cast<std::size_t>(rank))
                            .get<std::vector<double>>();
      if (mine.size() != kCostSamples ||
          std::any_of(mine.begin(), mine.end(), [](double ns) { return ns < 0.0; })) {
        throw std::runtime_error(fmt::format("{} of rank {}: allowed are {} samples, none below 0",
                                             kind->kind(), rank, kCostSamples));
      }
      samples.insert(samples.end(), mine.begin(), mine.end());
    }
  }
  return samples;
}

}  // namespace

void read_costs(const std::string& program, const std::string& file, const std::string& input,
                const std::vector<UnitCosts*>& kinds, MPI_Comm comm) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  std::vector<double> all;
  run_agreed(program, comm, [&] {
    if (rank != 0) return;
    try {
      all = samples_of(read_report(file), input, kinds, ranks);
    } catch (const std::exception& error) {
      throw std::runtime_error(fmt::format("--costs {}: {}", file, error.what()));
    }
  });
  const int each = static_cast<int>(kinds.size()) * kCostSamples;
  std::vector<double> mine(static_cast<std::size_t>(each));
  MPI_Scatter(all.data(), each, MPI_DOUBLE, mine.data(), each, MPI_DOUBLE, 0, comm);
  for (auto begin = mine.begin(); UnitCosts * kind : kinds) {
    kind->set_samples({begin, begin + kCostSamples});
    begin += kCostSamples;
  }
}

}  // namespace mpiactor::apps
