#include "bench/node_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <stdexcept>

namespace mpiactor::bench {
namespace {

[[noreturn]] void refuse(std::string_view layout, int ranks) {
  throw std::invalid_argument(fmt::format(
      "node layout '{}' does not fit {} ranks: give a number of nodes from 1 to {} ('4'), 'ppn:K', "
      "'cyclic:N' or a node number for each rank ('0,0,1,1')",
      layout, ranks, ranks));
}

// Reads the whole of `text` as a number of at least `least`.
bool read_number(std::string_view text, int least, int& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() && number >= least;
}

bool read_list(std::string_view text, std::vector<int>& labels) {
  while (true) {
    const std::size_t comma = text.find(',');
    int label = 0;
    if (!read_number(text.substr(0, comma), 0, label)) return false;
    labels.push_back(label);
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
}

template <typename NodeOfRank>
NodeMap make_map(int ranks, NodeOfRank node_of_rank) {
  std::vector<int> labels;
  for (int rank = 0; rank < ranks; ++rank) labels.push_back(node_of_rank(rank));
  return number_nodes(labels);
}

}  // namespace

NodeMap parse_node_layout(std::string_view layout, int ranks) {
  constexpr std::string_view kPerNode = "ppn:";
  constexpr std::string_view kCyclic = "cyclic:";
  int number = 0;
  if (layout.find(',') != std::string_view::npos) {
    std::vector<int> labels;
    if (!read_list(layout, labels) || labels.size() != static_cast<std::size_t>(ranks)) {
      refuse(layout, ranks);
    }
    return number_nodes(labels);
  }
  if (layout.starts_with(kPerNode)) {
    if (!read_number(layout.substr(kPerNode.size()), 1, number)) refuse(layout, ranks);
    return make_map(ranks, [&](int rank) { return rank / number; });
  }
  const bool cyclic = layout.starts_with(kCyclic);
  const std::string_view count = cyclic ? layout.substr(kCyclic.size()) : layout;
  if (!read_number(count, 1, number) || number > ranks) refuse(layout, ranks);
  if (cyclic) return make_map(ranks, [&](int rank) { return rank % number; });
  const int smaller = ranks / number;
  const int larger_blocks = ranks % number;
  const int in_larger = larger_blocks * (smaller + 1);
  return make_map(ranks, [&](int rank) {
    if (rank < in_larger) return rank / (smaller + 1);
    return larger_blocks + (rank - in_larger) / smaller;
  });
}

NodeMap number_nodes(const std::vector<int>& labels) {
  std::map<int, int> number_of_label;
  NodeMap nodes;
  for (const int label : labels) {
    const auto next = static_cast<int>(number_of_label.size());
    nodes.push_back(number_of_label.try_emplace(label, next).first->second);
  }
  return nodes;
}

int node_count(const NodeMap& nodes) {
  return nodes.empty() ? 0 : *std::max_element(nodes.begin(), nodes.end()) + 1;
}

bool is_lowest_of_node(const NodeMap& nodes, int rank) {
  const auto own = nodes.begin() + rank;
  return std::find(nodes.begin(), own, *own) == own;
}

}  // namespace mpiactor::bench
