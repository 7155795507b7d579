#include "tools/info_explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "actor/container/choices.h"
#include "actor/container/push_limit.h"
#include "inter/registry.h"
#include "inter/rules.h"
#include "inter/tofu_algos/torus.h"

namespace mpiactor::info {
namespace {

constexpr std::uint64_t kMostBytes = std::numeric_limits<std::uint64_t>::max();
constexpr const char* kBarrier = "barrier";

inter::Call call_of(const std::string& collective) {
  if (collective == kBarrier) return inter::Call::kAllreduce;
  if (const auto call = inter::call_of(collective)) return *call;
  throw std::invalid_argument(fmt::format("'{}' is not a collective; allowed: {}", collective,
                                          fmt::join(explained_collectives(), ", ")));
}

// Of a blocking call, on ranks that can all do what the settings let them.
unsigned abilities(const Settings& settings, bool order_is_free, std::uint64_t bytes) {
  return inter::kMayPass | inter::kMayPassBlocking |
         inter::abilities_of({.competes = settings.leader == LeaderMode::kCompetitive,
                              .reads_others = settings.single_copy != SingleCopy::kOff,
                              .order_is_free = order_is_free,
                              .as_they_come = settings.reduce_order == ReduceOrder::kArrival},
                             bytes);
}

std::string source_of(const inter::Rule& rule, const Settings& settings) {
  return rule.is_built_in ? fmt::format("built-in rule, line {}", rule.line)
                          : fmt::format("{}, line {}", settings.tuning, rule.line);
}

Served served_by(const inter::Rule& rule, inter::Call call, const Question& question) {
  const Settings& settings = question.settings;
  Served served{.by = rule.name(), .source = source_of(rule, settings), .why = rule.why};
  served.is_plan = rule.way == inter::Way::kPlan;
  if (served.is_plan) {
    const auto collective = call == inter::Call::kAllgatherv ? inter::Collective::kAllgather
                                                             : inter::collective_of(call);
    if (const std::string& name = settings.algorithm(*collective); name != "auto") {
      std::string setting = inter::collective_name(*collective);
      std::transform(setting.begin(), setting.end(), setting.begin(),
                     [](char c) { return static_cast<char>(c - 'a' + 'A'); });
      setting.insert(0, "MPIACTOR_");
      const inter::Algorithm* const asked = inter::find_algorithm(*collective, name);
      if (asked && asked->supports(question.shape)) {
        return {.by = name, .source = setting, .why = "", .is_plan = true};
      }
      served.why = fmt::format("{}={} does not run on this shape", setting, name);
    } else if (!rule.algorithm && rule.why.empty()) {
      served.why = "the cost model's fastest";
    }
  }
  if (rule.by_arrival)
    served.why += served.why.empty() ? "combined as they come" : ", combined as they come";
  return served;
}

std::vector<Served> who_serves(const Question& question, bool order_is_free) {
  const inter::Call call = call_of(question.collective);
  const auto nodes = static_cast<int>(question.shape.nodes());
  const std::vector<inter::RuleRow> rows =
      inter::rule_rows(question.tuning, call, question.shape,
                       layout_for_rules(question.settings, question.ranks_per_node,
                                        nodes * question.ranks_per_node, question.crowded));
  const bool is_barrier = question.collective == kBarrier;
  std::set<std::uint64_t> begins{1};
  if (!is_barrier) begins.insert(inter::kShortReductionBytes + 1);
  for (const inter::RuleRow& row : rows) {
    if (is_barrier) break;
    if (row.least_bytes > 1) begins.insert(row.least_bytes);
    if (row.up_to_bytes != kMostBytes) begins.insert(row.up_to_bytes + 1);
  }
  std::vector<Served> found;
  for (auto begin = begins.begin(); begin != begins.end(); ++begin) {
    const auto next = std::next(begin);
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const inter::RuleRow& each) {
      return each.fits(*begin, abilities(question.settings, order_is_free, *begin));
    });
    Served served = served_by(*row->rule, call, question);
    if (!found.empty() && found.back().by == served.by && found.back().source == served.source) {
      found.back().up_to_bytes = next == begins.end() ? kMostBytes : *next - 1;
      continue;
    }
    served.least_bytes = *begin;
    served.up_to_bytes = is_barrier ? 1 : next == begins.end() ? kMostBytes : *next - 1;
    found.push_back(std::move(served));
  }
  return found;
}

// What `bytes` counts for the candidates.
const char* counted(inter::Collective collective) {
  switch (collective) {
    case inter::Collective::kAllgather:
      return " from each node";
    case inter::Collective::kAlltoall:
      return " from each node to each";
    default:
      return "";
  }
}

// Sets what is said of pushing.
void find_push_limit(const Question& question, Plans& plans) {
  const Settings& settings = question.settings;
  const inter::LinkModel& link = question.tuning.link;
  plans.pushed_up_to_bytes = push_limit_bytes(settings, question.shape, link, kMostEagerBytes);
  if (!settings.push_bytes && !settings.torus.empty()) {
    plans.most_hops = inter::diameter_hops(question.shape, link);
  }
}

std::string push_note(const Plans& plans, const Settings& settings) {
  const std::uint64_t bytes = plans.pushed_up_to_bytes;
  if (settings.push_bytes) return fmt::format("pushed up to {} bytes (MPIACTOR_PUSH)\n", bytes);
  if (plans.most_hops > 0) {
    return fmt::format("pushed up to {} bytes ({} hops between the farthest two nodes)\n", bytes,
                       plans.most_hops);
  }
  return fmt::format("pushed up to what the MPI library sends at once, at most {} bytes\n", bytes);
}

bool is_round(std::uint64_t bytes) { return bytes % 1024 == 0; }

std::string sizes_of(const Served& served, bool is_barrier) {
  if (is_barrier) return "-";
  if (served.up_to_bytes != kMostBytes) {
    const std::uint64_t next = served.up_to_bytes + 1;
    return is_round(next) ? "below " + format_bytes(next) : "to " + format_bytes(next - 1);
  }
  const std::uint64_t first = served.least_bytes;
  if (first == 1) return "any";
  return is_round(first) ? "from " + format_bytes(first) : "over " + format_bytes(first - 1);
}

std::string table_of(const std::vector<Served>& all, bool is_barrier) {
  std::size_t by = 9;
  std::size_t source = 4;
  for (const Served& served : all) {
    by = std::max(by, served.by.size());
    source = std::max(source, served.source.size());
  }
  std::string text =
      fmt::format("{:<12} {:<{}}  {:<{}}  {}\n", "bytes", "served by", by, "rule", source, "why");
  for (const Served& served : all) {
    std::string line = fmt::format("{:<12} {:<{}}  {:<{}}  {}", sizes_of(served, is_barrier),
                                   served.by, by, served.source, source, served.why);
    line.resize(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

const Served& served_at(const std::vector<Served>& all, std::uint64_t bytes) {
  const auto behind = std::find_if(
      all.begin() + 1, all.end(), [=](const Served& served) { return served.least_bytes > bytes; });
  return *std::prev(behind);
}

// `served`: who serves these bytes.
std::string text_of(const Plans& plans, const Question& question, const Served& served,
                    inter::Collective collective) {
  std::string text = fmt::format("\nPlans of {} bytes{} between {} nodes\n{:<14}{:>12}{:>14}  {}\n",
                                 question.bytes, counted(collective), question.shape.nodes(),
                                 "algorithm", "segment", "predicted us", "note");
  for (const inter::Candidate& candidate : plans.candidates) {
    std::string line = fmt::format("{:<14}{:>12}{:>14.1f}  {}", candidate.algorithm->name,
                                   format_bytes(candidate.segment_bytes), candidate.time_us,
                                   inter::stream_note(*candidate.algorithm, question.shape));
    line.resize(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  const std::string instead =
      served.is_plan ? ""
                     : fmt::format("none runs, served by: {}; by the model and rules ", served.by);
  return text +
         fmt::format("{}chosen: {}, segment {} ({})\n", instead, plans.selection.algorithm->name,
                     format_bytes(plans.selection.segment_bytes), plans.selection.reason) +
         push_note(plans, question.settings);
}

nlohmann::ordered_json json_of(const std::vector<Served>& all) {
  auto json = nlohmann::ordered_json::array();
  for (const Served& served : all) {
    nlohmann::ordered_json row = {{"from", served.least_bytes}};
    if (served.up_to_bytes != kMostBytes) row["up_to"] = served.up_to_bytes;
    row.update({{"by", served.by}, {"source", served.source}, {"why", served.why}});
    json.push_back(row);
  }
  return json;
}

// The path of a tuning table need not be UTF-8.
std::string dumped(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

Explanation explain(Question question) {
  if (question.collective == kBarrier) question.bytes = 1;
  const std::int64_t ranks = question.shape.nodes() * question.ranks_per_node;
  if (ranks > std::numeric_limits<int>::max()) {
    throw std::invalid_argument(fmt::format("--shape {} with --ppn {}: more than {} ranks",
                                            inter::text_of(question.shape), question.ranks_per_node,
                                            std::numeric_limits<int>::max()));
  }
  // Without MPIACTOR_TORUS all nodes lie on a line.
  const bool is_line = question.shape.extent[1] == 1 && question.shape.extent[2] == 1;
  if (!is_line) question.settings.torus = inter::text_of(question.shape);
  question.tuning.link = link_for_rules(question.settings, question.tuning.link);
  Explanation explanation;
  explanation.question = question;
  explanation.served = who_serves(question, false);
  if (auto free = who_serves(question, true); free != explanation.served) {
    explanation.served_in_any_order = std::move(free);
  }
  const auto collective = inter::collective_of(call_of(question.collective));
  if (!collective || question.shape.nodes() == 1) return explanation;
  Plans plans;
  plans.candidates =
      inter::candidates(*collective, question.shape, question.bytes, question.tuning.link);
  // Of reduce-scatters there is no model to choose by.
  if (plans.candidates.empty()) return explanation;
  plans.selection = inter::select(*collective, question.shape, question.bytes,
                                  question.settings.algorithm(*collective),
                                  question.settings.segment_bytes, question.tuning,
                                  layout_for_rules(question.settings, question.ranks_per_node,
                                                   static_cast<int>(ranks), question.crowded));
  find_push_limit(question, plans);
  explanation.plans = std::move(plans);
  return explanation;
}

std::vector<std::string> explained_collectives() {
  std::vector<std::string> names = {kBarrier};
  for (const inter::Call call : inter::all_calls()) names.emplace_back(inter::call_name(call));
  return names;
}

std::string to_text(const Explanation& explanation) {
  const Question& question = explanation.question;
  const bool is_barrier = question.collective == kBarrier;
  std::string text = fmt::format(
      "{} on {} ({} nodes), ranks on each: {}{}\n\n{}", question.collective,
      inter::text_of(question.shape), question.shape.nodes(), question.ranks_per_node,
      question.crowded ? ", more ranks than cores" : "", table_of(explanation.served, is_barrier));
  if (!explanation.served_in_any_order.empty()) {
    text += "\nWhere the order of combining changes no result (integers)\n" +
            table_of(explanation.served_in_any_order, is_barrier);
  }
  if (explanation.plans) {
    text += text_of(*explanation.plans, question, served_at(explanation.served, question.bytes),
                    *inter::collective_of(call_of(question.collective)));
  }
  return text;
}

std::string to_json(const Explanation& explanation) {
  const Question& question = explanation.question;
  nlohmann::ordered_json json = {{"collective", question.collective},
                                 {"shape", inter::text_of(question.shape)},
                                 {"ranks_per_node", question.ranks_per_node},
                                 {"crowded", question.crowded},
                                 {"served", json_of(explanation.served)}};
  if (!explanation.served_in_any_order.empty()) {
    json["served_in_any_order"] = json_of(explanation.served_in_any_order);
  }
  if (!explanation.plans) return dumped(json);
  const Plans& plans = *explanation.plans;
  json["bytes"] = question.bytes;
  json["candidates"] = nlohmann::json::array();
  for (const inter::Candidate& candidate : plans.candidates) {
    json["candidates"].push_back(
        {{"algorithm", candidate.algorithm->name},
         {"segment_bytes", candidate.segment_bytes},
         {"time_us", candidate.time_us},
         {"note", inter::stream_note(*candidate.algorithm, question.shape)}});
  }
  json["choice"] = {{"algorithm", plans.selection.algorithm->name},
                    {"segment_bytes", plans.selection.segment_bytes},
                    {"reason", plans.selection.reason}};
  json["pushed_up_to_bytes"] = plans.pushed_up_to_bytes;
  return dumped(json);
}

}  // namespace mpiactor::info
