#include "actor/config/node_spec.h"

#include <charconv>
#include <stdexcept>

namespace mpiactor {
namespace {

enum class Kind { kNone, kBlocks, kPerNode, kCyclic, kList };

struct NodeSpec {
  Kind kind = Kind::kNone;
  int count = 0;
  std::vector<int> list;
};

int parse_number(std::string_view text, int low) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw std::invalid_argument("'" + std::string(text) + "' is not a number");
  }
  if (value < low) {
    throw std::invalid_argument("'" + std::string(text) + "' is less than " + std::to_string(low));
  }
  return value;
}

NodeSpec parse(std::string_view spec) {
  constexpr std::string_view kPpn = "ppn:";
  constexpr std::string_view kCyclicPrefix = "cyclic:";
  if (spec.empty()) return {};
  if (spec.starts_with(kPpn))
    return {Kind::kPerNode, parse_number(spec.substr(kPpn.size()), 1), {}};
  if (spec.starts_with(kCyclicPrefix)) {
    return {Kind::kCyclic, parse_number(spec.substr(kCyclicPrefix.size()), 1), {}};
  }
  if (spec.find(',') == std::string_view::npos) return {Kind::kBlocks, parse_number(spec, 1), {}};
  NodeSpec result{Kind::kList, 0, {}};
  for (std::size_t begin = 0; begin <= spec.size();) {
    const std::size_t comma = std::min(spec.find(',', begin), spec.size());
    result.list.push_back(parse_number(spec.substr(begin, comma - begin), 0));
    begin = comma + 1;
  }
  return result;
}

}  // namespace

const char* node_spec_syntax() {
  return "4 (equal blocks of ranks) | ppn:2 (ranks a node) | cyclic:4 (round-robin) | 0,0,1,... "
         "(node of each rank)";
}

void check_node_spec(std::string_view spec) { parse(spec); }

std::vector<int> nodes_of_ranks(std::string_view spec, int ranks) {
  const NodeSpec parsed = parse(spec);
  if (parsed.kind == Kind::kList && static_cast<int>(parsed.list.size()) != ranks) {
    throw std::invalid_argument("lists " + std::to_string(parsed.list.size()) +
                                " ranks, but there are " + std::to_string(ranks));
  }
  if ((parsed.kind == Kind::kBlocks || parsed.kind == Kind::kCyclic) && parsed.count > ranks) {
    throw std::invalid_argument("asks for " + std::to_string(parsed.count) +
                                " nodes, but there are only " + std::to_string(ranks) + " ranks");
  }
  std::vector<int> nodes(static_cast<std::size_t>(ranks), 0);
  for (int rank = 0; rank < ranks; ++rank) {
    int& node = nodes[static_cast<std::size_t>(rank)];
    switch (parsed.kind) {
      case Kind::kNone:
        break;
      case Kind::kBlocks: {
        // The first `larger` blocks hold one rank more than the others.
        const int base = ranks / parsed.count;
        const int larger = ranks % parsed.count;
        const int in_larger = larger * (base + 1);
        node = rank < in_larger ? rank / (base + 1) : larger + (rank - in_larger) / base;
        break;
      }
      case Kind::kPerNode:
        node = rank / parsed.count;
        break;
      case Kind::kCyclic:
        node = rank % parsed.count;
        break;
      case Kind::kList:
        node = parsed.list[static_cast<std::size_t>(rank)];
        break;
    }
  }
  return nodes;
}

}  // namespace mpiactor
