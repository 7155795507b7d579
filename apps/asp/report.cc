#include "apps/asp/report.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

namespace mpiactor::asp {
void combine_times(const PhaseTimes& mine, MPI_Comm comm, Report& report) {
  report.total_s = apps::over_ranks(mine.total_s, comm);
  report.compute_s = apps::over_ranks(mine.compute_s, comm);
  report.broadcast_s = apps::over_ranks(mine.broadcast_s, comm);
}

std::string to_text(const Report& report) {
  std::string text = fmt::format("asp: vertices={} arcs={}", report.vertices, report.arcs);
  if (report.distances) {
    text += fmt::format(" reachable={} sum={} max={}", report.distances->reachable,
                        report.distances->sum, report.distances->max);
  }
  if (report.asleep) text += "\n" + apps::to_text("asp", *report.asleep);
  if (report.noise) text += "\n" + apps::to_text("asp", *report.noise);
  text += fmt::format(
      "\nasp: ranks={} threads={} batch={}\n"
      "asp: total_s={:.6f} compute_s={:.6f} broadcast_s={:.6f}\n",
      report.ranks, report.threads, report.batch, report.total_s.max, report.compute_s.mean,
      report.broadcast_s.mean);
  text += apps::to_text("asp", report.arrival) + "\n";
  if (report.verification) {
    text += fmt::format("asp: verified={} mismatches={}\n", report.verification->sources,
                        report.verification->mismatches);
  }
  return text;
}

std::string to_json(const Report& report) {
  nlohmann::ordered_json json = {
      {"input", report.input},
      {"vertices", report.vertices},
      {"arcs", report.arcs},
      {"reachable", nullptr},
      {"sum", nullptr},
      {"max", nullptr},
      {"ranks", report.ranks},
      {"threads", report.threads},
      {"batch", report.batch},
      {"total_s", report.total_s.max},
      {"compute_s", report.compute_s.mean},
      {"compute_max_s", report.compute_s.max},
      {"broadcast_s", report.broadcast_s.mean},
      {"broadcast_max_s", report.broadcast_s.max},
      {"arrival_spread_mean_us", nullptr},
      {"arrival_spread_max_us", nullptr},
      {"verified", nullptr},
      {"mismatches", nullptr},
      {"computing", report.asleep ? "asleep" : "real"},
      {"asleep", nullptr},
      {"noise", nullptr},
  };
  if (report.distances) {
    json["reachable"] = report.distances->reachable;
    json["sum"] = report.distances->sum;
    json["max"] = report.distances->max;
  }
  if (report.arrival.comparable) {
    json["arrival_spread_mean_us"] = report.arrival.mean_us;
    json["arrival_spread_max_us"] = report.arrival.max_us;
  }
  if (report.verification) {
    json["verified"] = report.verification->sources;
    json["mismatches"] = report.verification->mismatches;
  }
  if (report.asleep) json["asleep"] = apps::to_json(*report.asleep);
  if (report.noise) json["noise"] = apps::to_json(*report.noise);
  // A file's name need not be UTF-8.
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace mpiactor::asp
