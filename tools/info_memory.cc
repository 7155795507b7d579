#include "tools/info_memory.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace mpiactor::info {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kOrders[] = {"blocks", "cyclic", "irregular"};

// Three digits at most before the unit.
std::string readable(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1000 && unit < 3; ++unit) value /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string row(const MemoryItem& item) {
  return fmt::format("  {:<42} {:>12} {:>12}\n", item.what, readable(item.sure_bytes),
                     readable(item.most_bytes));
}

std::string table(const std::vector<MemoryItem>& items, bool in_all) {
  std::string text;
  for (const MemoryItem& item : items) text += row(item);
  return in_all ? text + row(MemoryNeed::sum(items)) : text;
}

Json to_json(const MemoryItem& item) {
  return {{"what", item.what}, {"sure_bytes", item.sure_bytes}, {"most_bytes", item.most_bytes}};
}

Json to_json(const std::vector<MemoryItem>& items, bool in_all) {
  Json json = {{"items", Json::array()}};
  for (const MemoryItem& item : items) json["items"].push_back(to_json(item));
  if (in_all) {
    const MemoryItem all = MemoryNeed::sum(items);
    json["sure_bytes"] = all.sure_bytes;
    json["most_bytes"] = all.most_bytes;
  }
  return json;
}

}  // namespace

std::string to_text(const MemoryQuestion& question, const MemoryNeed& need) {
  std::string text = fmt::format(
      "{} nodes of {} ranks ({}), communicators of all ranks: {}, messages up to {}\n\n",
      question.nodes, question.ranks_per_node, kOrders[static_cast<int>(question.order)],
      question.communicators, readable(question.message_bytes));
  const auto head = [](const char* title, const char* first, const char* second) {
    return fmt::format("{:<44} {:>12} {:>12}\n", title, first, second);
  };
  text += head("Private memory of a rank", "sure", "at most") + table(need.rank, true);
  text += "\n" + head("While it leads a call", "least", "most") + table(need.call, false);
  text += "\n" + head("Shared memory of a node", "sure", "at most") + table(need.node, true);
  return text;
}

std::string to_json(const MemoryQuestion& question, const MemoryNeed& need) {
  const Json json = {{"nodes", question.nodes},
                     {"ranks_per_node", question.ranks_per_node},
                     {"order", kOrders[static_cast<int>(question.order)]},
                     {"communicators", question.communicators},
                     {"message_bytes", question.message_bytes},
                     {"rank", to_json(need.rank, true)},
                     {"call", to_json(need.call, false)},
                     {"node", to_json(need.node, true)}};
  return json.dump(2) + "\n";
}

RankOrder rank_order_of(const std::string& name) {
  for (const RankOrder order : {RankOrder::kBlocks, RankOrder::kCyclic, RankOrder::kIrregular}) {
    if (name == kOrders[static_cast<int>(order)]) return order;
  }
  throw std::invalid_argument("'" + name + "' is no order of ranks");
}

}  // namespace mpiactor::info
