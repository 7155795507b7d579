#include "inter/tuning.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "inter/tofu_algos/torus.h"

namespace mpiactor::inter {
namespace {

using Json = nlohmann::json;

constexpr const char* kFormat = "mpiactor-tuning-1";

// Never walks down into a value: it may be nested deeper than the stack is.
std::string shown(const Json& value) {
  if (value.is_array()) return "a list";
  return value.is_object() ? "an object" : value.dump();
}

// One table that is being read; every complaint names it and the place.
class Reader {
 public:
  explicit Reader(std::string name) : name_(std::move(name)) {}

  [[noreturn]] void fail(const std::string& place, const std::string& what) const {
    throw TuningError("tuning table '" + name_ + "': " + place + ": " + what);
  }

  void check_keys(const Json& object, const std::string& place,
                  const std::vector<std::string>& allowed) const {
    if (!object.is_object()) fail(place, "is not an object");
    for (const auto& [key, value] : object.items()) {
      bool known = false;
      std::string all;
      for (const std::string& one : allowed) {
        known |= one == key;
        all += (all.empty() ? "" : ", ") + one;
      }
      if (!known) fail(place, "unknown key '" + key + "'; allowed: " + all);
    }
  }

  double positive(const Json& value, const std::string& place) const {
    if (!value.is_number() || value.get<double>() <= 0) {
      fail(place, shown(value) + " is not a positive number");
    }
    return value.get<double>();
  }

  std::string text(const Json& value, const std::string& place) const {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number_unsigned()) return std::to_string(value.get<std::uint64_t>());
    fail(place, shown(value) + " is not a text");
  }

  // "64K" or a number.
  std::uint64_t bytes(const Json& value, const std::string& place) const {
    const std::string digits = text(value, place);
    std::uint64_t number = 0;
    const char* const last = digits.data() + digits.size();
    const auto [end, error] = std::from_chars(digits.data(), last, number);
    const std::string_view suffix(end, static_cast<std::size_t>(last - end));
    const int shift = suffix.empty()  ? 0
                      : suffix == "K" ? 10
                      : suffix == "M" ? 20
                      : suffix == "G" ? 30
                                      : -1;
    if (error != std::errc() || shift < 0 || number == 0 || number > (~std::uint64_t{0} >> shift)) {
      fail(place, "'" + digits + "' is not a size; allowed: a positive number, with K, M or G");
    }
    return number << shift;
  }

  // "4" or "2..8".
  void nodes(const Json& value, const std::string& place, TuningRule& rule) const {
    const std::string range = text(value, place);
    const std::size_t dots = range.find("..");
    rule.least_nodes = count(range.substr(0, dots), range, place);
    rule.most_nodes =
        dots == std::string::npos ? rule.least_nodes : count(range.substr(dots + 2), range, place);
    if (rule.least_nodes > rule.most_nodes) fail(place, "'" + range + "' is an empty range");
  }

  TuningRule rule(const Json& value, const std::string& place, Collective collective) const {
    check_keys(value, place, {"nodes", "shape", "up_to", "algorithm", "segment"});
    TuningRule rule;
    if (!value.contains("algorithm")) fail(place, "has no \"algorithm\"");
    const std::string name = text(value["algorithm"], place + ".algorithm");
    rule.algorithm = find_algorithm(collective, name);
    if (!rule.algorithm) {
      fail(place + ".algorithm",
           "'" + name + "' is unknown; allowed: " + algorithm_names(collective));
    }
    if (value.contains("nodes")) nodes(value["nodes"], place + ".nodes", rule);
    if (value.contains("shape")) {
      try {
        rule.shape = parse_shape(text(value["shape"], place + ".shape"));
      } catch (const TorusError& error) {
        fail(place + ".shape", error.what());
      }
    }
    if (value.contains("up_to")) rule.up_to_bytes = bytes(value["up_to"], place + ".up_to");
    if (value.contains("segment")) rule.segment_bytes = bytes(value["segment"], place + ".segment");
    return rule;
  }

  std::vector<TuningRule> rules(const Json& list, Collective collective) const {
    const std::string name = collective_name(collective);
    if (!list.is_array()) fail(name, "is not a list of rules");
    std::vector<TuningRule> found;
    for (const Json& value : list) {
      found.push_back(rule(value, name + "[" + std::to_string(found.size()) + "]", collective));
    }
    return found;
  }

  // Changes what the table names.
  void link(const Json& value, LinkModel& link) const {
    check_keys(value, "link", {"latency_us", "bandwidth_mbps", "reduce_mbps", "network"});
    const auto read = [&](const char* key, double& number) {
      if (value.contains(key)) number = positive(value[key], std::string("link.") + key);
    };
    read("latency_us", link.latency_us);
    read("bandwidth_mbps", link.bandwidth_mbps);
    read("reduce_mbps", link.reduce_mbps);
    if (!value.contains("network")) return;
    if (value["network"] != "switch" && value["network"] != "torus") {
      fail("link.network", shown(value["network"]) + " is unknown; allowed: switch, torus");
    }
    link.network = value["network"] == "torus" ? NetworkKind::kTorus : NetworkKind::kSwitch;
  }

 private:
  std::int64_t count(const std::string& digits, const std::string& whole,
                     const std::string& place) const {
    std::int64_t number = 0;
    const char* const last = digits.data() + digits.size();
    const auto [end, error] = std::from_chars(digits.data(), last, number);
    if (error != std::errc() || end != last || number < 1) {
      fail(place, "'" + whole + "' is not a number of nodes; allowed: 4 or 2..8");
    }
    return number;
  }

  std::string name_;
};

bool same_shape(const Shape& a, const Shape& b) {
  for (int axis = 0; axis < 3; ++axis) {
    if (a.extent[axis] != b.extent[axis]) return false;
    if (a.extent[axis] > 2 && a.wraps[axis] != b.wraps[axis]) return false;
  }
  return true;
}

}  // namespace

Tuning Tuning::parse(std::string_view json_text, const std::string& name) {
  const Reader reader(name);
  Json json;
  try {
    json = Json::parse(json_text);
  } catch (const Json::parse_error& error) {
    reader.fail("byte " + std::to_string(error.byte), error.what());
  } catch (const Json::exception& error) {  // a number that no double can be
    reader.fail("table", error.what());
  }
  std::vector<std::string> keys = {"format", "link"};
  for (const Collective collective : kTunedCollectives) keys.push_back(collective_name(collective));
  keys.push_back("comment");
  reader.check_keys(json, "table", keys);
  if (!json.contains("format") || json["format"] != kFormat) {
    reader.fail("format", std::string("must be \"") + kFormat + "\"");
  }
  Tuning tuning;
  if (json.contains("link")) reader.link(json["link"], tuning.link);
  for (const Collective collective : kTunedCollectives) {
    const std::string place = collective_name(collective);
    if (json.contains(place)) tuning.rules[collective] = reader.rules(json[place], collective);
  }
  return tuning;
}

const TuningRule* Tuning::find(Collective collective, const Shape& shape,
                               std::uint64_t bytes) const {
  const auto own = rules.find(collective);
  if (own == rules.end()) return nullptr;
  for (const TuningRule& rule : own->second) {
    if (shape.nodes() < rule.least_nodes || shape.nodes() > rule.most_nodes) continue;
    if (rule.shape && !same_shape(*rule.shape, shape)) continue;
    if (bytes <= rule.up_to_bytes && rule.algorithm->supports(shape)) return &rule;
  }
  return nullptr;
}

}  // namespace mpiactor::inter
