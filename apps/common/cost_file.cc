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

// As reports have it: what is not UTF-8 is replaced there.
Json printed(const Json& work) {
  return Json::parse(work.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void require_same_work(const Json& report, const Json& work) {
  const Json here = printed(work);
  for (const auto& [key, wanted] : here.items()) {
    // Only texts and numbers are looked into: others may be nested deeper than the stack is.
    const bool is_plain = report.contains(key) && report[key].is_primitive();
    const Json found = is_plain ? report[key] : Json();
    if (found != wanted) {
      throw std::runtime_error(fmt::format("is of {} {}; allowed: {}, as in this run", key,
                                           found.dump(), wanted.dump()));
    }
  }
}

// Rank by rank, of each kind its samples.
std::vector<double> samples_of(const Json& report, const std::vector<UnitCosts*>& kinds,
                               int ranks) {
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

void read_costs(const std::string& program, const std::string& file, nlohmann::json work,
                const std::vector<UnitCosts*>& kinds, MPI_Comm comm) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  std::vector<double> all;
  run_agreed(program, comm, [&] {
    if (rank != 0) return;
    try {
      const Json report = read_report(file);
      work["ranks"] = ranks;
      require_same_work(report, work);
      all = samples_of(report, kinds, ranks);
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
