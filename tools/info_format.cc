#include "tools/info_format.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "inter/tuning.h"

namespace mpiactor::info {
namespace {

constexpr std::size_t kLineLength = 100;

std::string quoted_if_empty(const std::string& text) { return text.empty() ? "''" : text; }

// `text` in lines of at most kLineLength, each after `indent` blanks.
std::string wrapped(std::string_view text, std::size_t indent) {
  std::string lines;
  while (!text.empty()) {
    std::size_t length = std::min(text.size(), kLineLength - indent);
    if (length < text.size()) {
      const std::size_t blank = text.rfind(' ', length);
      length = blank == std::string_view::npos ? text.find(' ') : blank;
    }
    lines += std::string(indent, ' ') + std::string(text.substr(0, length)) + "\n";
    text.remove_prefix(std::min(text.size(), length == text.npos ? length : length + 1));
  }
  return lines;
}

std::string setting_to_text(const SettingFact& setting) {
  std::string text = fmt::format("  {:<22} {}", setting.name, quoted_if_empty(setting.value()));
  text += setting.given ? fmt::format("  (set; default {})", quoted_if_empty(setting.default_text))
                        : "  (default)";
  text += "\n";
  if (!setting.error.empty()) text += wrapped("WRONG: " + setting.error, 6);
  text += wrapped(setting.help, 6);
  text += wrapped("allowed: " + setting.allowed, 6);
  return text;
}

std::string machine_to_text(const Facts& facts) {
  const Machine& machine = facts.machine;
  std::string text = fmt::format(
      "  cores         {}\n  NUMA domains  {} (this process: number {})\n"
      "  L3 caches     {}\n  candidates    of {} domains (this process: number {})\n",
      machine.cores, machine.numa_domains, machine.my_numa_domain, machine.caches, machine.domains,
      machine.my_domain);
  const SharedMemoryFact& memory = facts.shared_memory;
  constexpr double kMiB = 1 << 20;
  text += memory.free_bytes ? fmt::format("  {:<12}  {:.0f} MiB free\n", memory.folder,
                                          static_cast<double>(*memory.free_bytes) / kMiB)
                            : fmt::format("  {:<12}  missing\n", memory.folder);
  return text;
}

// "a|b|c" would end a cell of a table.
std::string in_cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

nlohmann::ordered_json setting_to_json(const SettingFact& setting) {
  nlohmann::ordered_json json = {
      {"name", setting.name},     {"default", setting.default_text},
      {"value", setting.value()}, {"from", setting.given ? "environment" : "default"},
      {"error", nullptr},         {"allowed", setting.allowed},
      {"help", setting.help},
  };
  if (!setting.error.empty()) json["error"] = setting.error;
  return json;
}

}  // namespace

std::string to_text(const Facts& facts) {
  std::string text = fmt::format("mpiactor {}\n\nmachine\n", facts.version);
  text += machine_to_text(facts);
  text += "\nsettings (environment variables; rank 0's are used by all ranks)\n";
  for (const SettingFact& setting : facts.settings) text += setting_to_text(setting);
  for (const std::string& error : facts.polite_errors) text += "  WRONG: " + error + "\n";
  for (const std::string& warning : facts.warnings) text += "  warning: " + warning + "\n";
  text += "\nalgorithms between nodes\n";
  for (const AlgorithmFact& algorithm : facts.algorithms) {
    text += fmt::format("  {} {:<12} {}  {}\n", algorithm.collective, algorithm.name,
                        algorithm.description, algorithm.source);
  }
  text += "\nfiles\n";
  for (const FileFact& file : facts.files) {
    text += fmt::format("  {:<22} {}\n", file.what, file.path ? file.path->string() : "not found");
  }
  return text;
}

std::string to_json(const Facts& facts) {
  using Json = nlohmann::ordered_json;
  Json json = {
      {"version", facts.version},
      {"machine",
       {{"cores", facts.machine.cores},
        {"numa_domains", facts.machine.numa_domains},
        {"my_numa_domain", facts.machine.my_numa_domain},
        {"l3_caches", facts.machine.caches},
        {"domains", facts.machine.domains},
        {"my_domain", facts.machine.my_domain}}},
      {"shared_memory", {{"folder", facts.shared_memory.folder}, {"free_bytes", nullptr}}},
      {"settings", Json::array()},
      {"polite_errors", facts.polite_errors},
      {"warnings", facts.warnings},
      {"algorithms", Json::array()},
      {"rules", Json::object()},
      {"files", Json::object()},
  };
  if (facts.shared_memory.free_bytes) {
    json["shared_memory"]["free_bytes"] = *facts.shared_memory.free_bytes;
  }
  for (const SettingFact& setting : facts.settings) {
    json["settings"].push_back(setting_to_json(setting));
  }
  for (const inter::Call call : inter::all_calls()) {
    json["rules"][inter::call_name(call)] = inter::rule_names(call);
  }
  for (const AlgorithmFact& algorithm : facts.algorithms) {
    json["algorithms"].push_back({{"collective", algorithm.collective},
                                  {"name", algorithm.name},
                                  {"description", algorithm.description},
                                  {"source", algorithm.source}});
  }
  for (const FileFact& file : facts.files) {
    json["files"][file.what] = file.path ? Json(file.path->string()) : Json(nullptr);
  }
  // Values come from the environment and need not be UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string settings_as_markdown(const std::vector<SettingFact>& settings) {
  std::string table = "| name | default | allowed | meaning |\n|---|---|---|---|\n";
  for (const SettingFact& setting : settings) {
    const std::string default_text =
        setting.default_text.empty() ? "(empty)" : "`" + in_cell(setting.default_text) + "`";
    table += fmt::format("| `{}` | {} | `{}` | {} |\n", setting.name, default_text,
                         in_cell(setting.allowed), in_cell(setting.help));
  }
  return table;
}

}  // namespace mpiactor::info
