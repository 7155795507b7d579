#include "apps/vcc/report.h"

#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace mpiactor::vcc {
namespace {

const std::string& name_of(const Report& report, std::int32_t variable) {
  return report.names[static_cast<std::size_t>(variable)];
}

// Ends the first line, of what was found; then come the largest correlations.
std::string findings_text(const Report& report) {
  const auto& largest = report.findings->largest;
  std::string text =
      fmt::format(" trace={} max_abs_corr={}\n", report.findings->trace,
                  largest.empty() ? "none" : fmt::format("{}", std::abs(largest.front().value)));
  for (const Correlation& pair : largest) {
    text += fmt::format("vcc: correlation={} first={} second={}", pair.value, pair.first + 1,
                        pair.second + 1);
    if (!report.names.empty()) {
      // Quoted as JSON, since a name may hold anything.
      text +=
          " names=" + nlohmann::json({name_of(report, pair.first), name_of(report, pair.second)})
                          .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    }
    text += "\n";
  }
  return text;
}

nlohmann::ordered_json largest_json(const Report& report) {
  auto list = nlohmann::ordered_json::array();
  for (const Correlation& pair : report.findings->largest) {
    nlohmann::ordered_json entry = {
        {"correlation", pair.value}, {"first", pair.first + 1}, {"second", pair.second + 1}};
    if (!report.names.empty()) {
      entry["first_name"] = name_of(report, pair.first);
      entry["second_name"] = name_of(report, pair.second);
    }
    list.push_back(entry);
  }
  return list;
}

void add_findings(const Report& report, nlohmann::ordered_json& json) {
  const Findings& findings = *report.findings;
  json["trace"] = findings.trace;
  json["largest"] = largest_json(report);
  json["undefined_pairs"] = findings.undefined_pairs;
  if (!findings.largest.empty()) {
    json["max_abs_corr"] = std::abs(findings.largest.front().value);
  }
}

}  // namespace

void combine_times(const PhaseTimes& mine, MPI_Comm comm, Report& report) {
  report.total_s = apps::over_ranks(mine.total_s, comm);
  report.compute_s = apps::over_ranks(mine.compute_s, comm);
  report.broadcast_s = apps::over_ranks(mine.broadcast_s, comm);
  report.exchange_s = apps::over_ranks(mine.exchange_s, comm);
}

std::string to_text(const Report& report) {
  std::string text =
      fmt::format("vcc: variables={} observations={}", report.variables, report.observations);
  if (report.findings) text += findings_text(report);
  if (report.asleep) text += "\n" + apps::to_text("vcc", *report.asleep) + "\n";
  if (report.noise) text += apps::to_text("vcc", *report.noise) + "\n";
  text += fmt::format("vcc: missing={} incomplete_variables={}", report.missing, report.incomplete);
  if (report.findings) text += fmt::format(" undefined_pairs={}", report.findings->undefined_pairs);
  text += fmt::format(
      "\nvcc: ranks={} block={} broadcasts={} largest_broadcast_bytes={}\n"
      "vcc: total_s={:.6f} compute_s={:.6f} broadcast_s={:.6f} exchange_s={:.6f}\n",
      report.ranks, report.block, report.broadcasts, report.largest_broadcast_bytes,
      report.total_s.max, report.compute_s.mean, report.broadcast_s.mean, report.exchange_s.mean);
  text += apps::to_text("vcc", report.arrival) + "\n";
  if (report.verification) {
    text += fmt::format("vcc: verified={} mismatches={} largest_difference={:.2g}\n",
                        report.verification->variables, report.verification->mismatches,
                        report.verification->largest_difference);
  }
  return text;
}

std::string to_json(const Report& report) {
  nlohmann::ordered_json json = {
      {"input", report.input},
      {"variables", report.variables},
      {"observations", report.observations},
      {"trace", nullptr},
      {"max_abs_corr", nullptr},
      {"largest", nlohmann::ordered_json::array()},
      {"missing", report.missing},
      {"incomplete_variables", report.incomplete},
      {"undefined_pairs", nullptr},
      {"ranks", report.ranks},
      {"block", report.block},
      {"broadcasts", report.broadcasts},
      {"largest_broadcast_bytes", report.largest_broadcast_bytes},
      {"total_s", report.total_s.max},
      {"compute_s", report.compute_s.mean},
      {"compute_max_s", report.compute_s.max},
      {"broadcast_s", report.broadcast_s.mean},
      {"broadcast_max_s", report.broadcast_s.max},
      {"exchange_s", report.exchange_s.mean},
      {"exchange_max_s", report.exchange_s.max},
      {"arrival_spread_mean_us", nullptr},
      {"arrival_spread_max_us", nullptr},
      {"verified", nullptr},
      {"mismatches", nullptr},
      {"largest_difference", nullptr},
      {"computing", report.asleep ? "asleep" : "real"},
      {"asleep", nullptr},
      {"noise", nullptr},
  };
  if (report.findings) add_findings(report, json);
  if (report.asleep) json["asleep"] = apps::to_json(*report.asleep);
  if (report.noise) json["noise"] = apps::to_json(*report.noise);
  if (report.arrival.comparable) {
    json["arrival_spread_mean_us"] = report.arrival.mean_us;
    json["arrival_spread_max_us"] = report.arrival.max_us;
  }
  if (report.verification) {
    json["verified"] = report.verification->variables;
    json["mismatches"] = report.verification->mismatches;
    json["largest_difference"] = report.verification->largest_difference;
  }
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace mpiactor::vcc
