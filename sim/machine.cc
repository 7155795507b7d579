#include "sim/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "inter/shown.h"
#include "sim/builtin_machines.h"

namespace mpiactor::sim {
namespace {

using Json = nlohmann::json;

// Reads one JSON object field by field, remembers which were read, and refuses what is left.
class FieldReader {
 public:
  FieldReader(const Json& object, std::string origin, std::string prefix)
      : object_(object), origin_(std::move(origin)), prefix_(std::move(prefix)) {
    if (!object_.is_object()) {
      throw InputError(
          fmt::format("{}: {} is {}; allowed: an object", origin_,
                      prefix_.empty() ? "the document" : prefix_.substr(0, prefix_.size() - 1),
                      inter::shown(object_)));
    }
  }

  double number(const std::string& field, double smallest, double largest) {
    const Json& value = require(field);
    const double number =
        value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
    if (!(number >= smallest && number <= largest)) {
      fail(field, value, fmt::format("a number from {} to {}", smallest, largest));
    }
    return number;
  }

  std::uint64_t integer(const std::string& field, std::uint64_t smallest, std::uint64_t largest) {
    const Json& value = require(field);
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() < smallest ||
        value.get<std::uint64_t>() > largest) {
      fail(field, value, fmt::format("a whole number from {} to {}", smallest, largest));
    }
    return value.get<std::uint64_t>();
  }

  Picoseconds nanoseconds(const std::string& field) {
    constexpr double kOneSecond = 1e9;
    return static_cast<Picoseconds>(std::llround(number(field, 0, kOneSecond) * 1e3));
  }

  std::string text(const std::string& field) {
    const Json& value = require(field);
    if (!value.is_string()) fail(field, value, "a string");
    return value.get<std::string>();
  }

  FieldReader object(const std::string& field) {
    return FieldReader(require(field), origin_, prefix_ + field + ".");
  }

  [[noreturn]] void fail(const std::string& field, const Json& value,
                         const std::string& allowed) const {
    throw InputError(fmt::format("{}: {}{} is {}; allowed: {}", origin_, prefix_, field,
                                 inter::shown(value), allowed));
  }

  // Catches misspelt fields, which would otherwise be ignored silently.
  void refuse_unread() const {
    for (const auto& [field, value] : object_.items()) {
      if (!read_.contains(field)) {
        fail(field, value, fmt::format("one of the fields {}", fmt::join(read_, ", ")));
      }
    }
  }

 private:
  const Json& require(const std::string& field) {
    read_.insert(field);
    const auto found = object_.find(field);
    if (found == object_.end()) {
      throw InputError(fmt::format("{}: {}{} is missing", origin_, prefix_, field));
    }
    return *found;
  }

  const Json& object_;
  std::string origin_;
  std::string prefix_;
  std::set<std::string> read_;
};

constexpr double kSmallestRate = 1e-3;
constexpr double kLargestRate = 1e9;
constexpr std::uint64_t kLargestMessage = std::uint64_t{1} << 40;

void read_network(FieldReader reader, Machine* machine) {
  const std::string kind = reader.text("kind");
  if (kind == "torus") {
    machine->network = NetworkKind::kTorus;
  } else if (kind == "switch") {
    machine->network = NetworkKind::kSwitch;
  } else {
    reader.fail("kind", kind, "torus, switch");
  }
  machine->link_mbps = reader.number("link_mbps", kSmallestRate, kLargestRate);
  machine->hop_ps = reader.nanoseconds("hop_ns");
  reader.refuse_unread();
}

void read_interfaces(FieldReader reader, Machine* machine) {
  machine->interfaces = static_cast<int>(reader.integer("count", 1, kMostInterfaces));
  machine->path_mbps = reader.number("path_mbps", kSmallestRate, kLargestRate);
  reader.refuse_unread();
}

void read_message(FieldReader reader, Machine* machine) {
  machine->send_overhead_ps = reader.nanoseconds("send_overhead_ns");
  machine->receive_overhead_ps = reader.nanoseconds("receive_overhead_ns");
  machine->wire_latency_ps = reader.nanoseconds("wire_latency_ns");
  machine->startup_ps = reader.nanoseconds("startup_ns");
  machine->rendezvous_ps = reader.nanoseconds("rendezvous_ns");
  machine->eager_bytes_1_hop = reader.integer("eager_bytes_1_hop", 0, kLargestMessage);
  machine->eager_bytes_40_hops = reader.integer("eager_bytes_40_hops", 0, kLargestMessage);
  if (machine->eager_bytes_40_hops < machine->eager_bytes_1_hop) {
    reader.fail("eager_bytes_40_hops", machine->eager_bytes_40_hops,
                fmt::format("at least eager_bytes_1_hop, {}", machine->eager_bytes_1_hop));
  }
  machine->window = static_cast<int>(reader.integer("window", 1, 1 << 20));
  machine->segment_bytes = reader.integer("segment_bytes", 1, kLargestMessage);
  reader.refuse_unread();
}

void read_memory(FieldReader reader, Machine* machine) {
  machine->reduce_mbps = reader.number("reduce_mbps", kSmallestRate, kLargestRate);
  machine->copy_mbps = reader.number("copy_mbps", kSmallestRate, kLargestRate);
  machine->memory_mbps = reader.number("memory_mbps", kSmallestRate, kLargestRate);
  reader.refuse_unread();
}

}  // namespace

std::uint64_t Machine::eager_limit_bytes(int hops) const {
  constexpr int kFarHops = 40;
  const int distance = std::clamp(hops, 1, kFarHops) - 1;
  const std::uint64_t growth = eager_bytes_40_hops - eager_bytes_1_hop;
  return eager_bytes_1_hop + growth * static_cast<std::uint64_t>(distance) / (kFarHops - 1);
}

double Machine::copy_ps_per_byte(int ranks) const {
  if (ranks == 0) return 0;
  return 1e6 / std::min(copy_mbps, memory_mbps / ranks);
}

Picoseconds Machine::latency_ps(int hops) const {
  return send_overhead_ps + receive_overhead_ps + wire_latency_ps +
         static_cast<Picoseconds>(hops) * hop_ps;
}

Machine parse_machine(std::string_view json_text, const std::string& origin) {
  Json document;
  try {
    document = Json::parse(json_text);
  } catch (const Json::parse_error& error) {
    throw InputError(fmt::format("{}: not JSON: {}", origin, error.what()));
  }
  FieldReader reader(document, origin, "");
  Machine machine;
  machine.name = reader.text("name");
  machine.description = reader.text("description");
  read_network(reader.object("network"), &machine);
  read_interfaces(reader.object("interfaces"), &machine);
  read_message(reader.object("message"), &machine);
  read_memory(reader.object("memory"), &machine);
  reader.refuse_unread();
  return machine;
}

Machine load_machine(const std::string& name) {
  for (const BuiltinMachine& builtin : kBuiltinMachines) {
    if (builtin.name == name) {
      return parse_machine(builtin.json, fmt::format("machine {}", name));
    }
  }
  if (!name.ends_with(".json")) {
    throw InputError(fmt::format("machine is '{}'; allowed: {}, or a path that ends in .json", name,
                                 fmt::join(machine_names(), ", ")));
  }
  std::ifstream file(name);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw InputError(fmt::format("{}: the machine file cannot be read", name));
  return parse_machine(text.str(), name);
}

std::vector<std::string> machine_names() {
  std::vector<std::string> names;
  for (const BuiltinMachine& builtin : kBuiltinMachines) names.emplace_back(builtin.name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace mpiactor::sim
