#include "bench/arrival_pattern.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <random>
#include <stdexcept>

namespace mpiactor::bench {
namespace {

// The standard fixes the sequence of this engine but not of its distributions, so the fraction is
// made by hand: the same seed gives the same delays with every standard library.
double next_fraction(std::mt19937_64& engine) {
  return static_cast<double>(engine() >> 11) * 0x1.0p-53;
}

std::mt19937_64 engine_of(std::uint64_t seed, std::int64_t repetition) {
  const auto number = static_cast<std::uint64_t>(repetition);
  std::seed_seq words{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                      static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32)};
  return std::mt19937_64(words);
}

// One of 0..count-1 other than `except` (unless it is the only one). The distance from `except`
// has period count - 1, so with `except` rotating over count every pair comes up.
int other_in_turn(int except, int count, std::int64_t turn) {
  if (count < 2) return 0;
  const auto distance = static_cast<int>(1 + turn % (count - 1));
  return (except + distance) % count;
}

int singled_out_rank(const SingledOut& choice, int root, int ranks, std::int64_t repetition) {
  switch (choice.kind) {
    case SingledOut::Kind::kRoot:
      return root;
    case SingledOut::Kind::kRank:
      return choice.rank;
    case SingledOut::Kind::kRotate:
      break;
  }
  return other_in_turn(root, ranks, repetition);
}

template <typename IsLate>
std::vector<std::int64_t> late_if(int ranks, std::int64_t skew_ns, IsLate is_late) {
  std::vector<std::int64_t> delays;
  for (int rank = 0; rank < ranks; ++rank) delays.push_back(is_late(rank) ? skew_ns : 0);
  return delays;
}

std::vector<std::int64_t> random_delays(const ArrivalPlan& plan, std::int64_t repetition) {
  std::mt19937_64 engine = engine_of(plan.seed, repetition);
  std::vector<std::int64_t> delays(plan.nodes.size());
  for (std::int64_t& delay : delays) {
    delay = static_cast<std::int64_t>(next_fraction(engine) * static_cast<double>(plan.skew_ns));
  }
  return delays;
}

std::vector<std::int64_t> ascending_delays(int ranks, std::int64_t skew_ns) {
  std::vector<std::int64_t> delays;
  for (int rank = 0; rank < ranks; ++rank)
    delays.push_back(skew_ns * rank / std::max(1, ranks - 1));
  return delays;
}

}  // namespace

const std::vector<std::string>& pattern_names() {
  static const std::vector<std::string> names = {"random",    "one-late",     "one-early",
                                                 "ascending", "late-leaders", "late-node"};
  return names;
}

std::string_view pattern_name(Pattern pattern) {
  return pattern_names()[static_cast<std::size_t>(pattern)];
}

Pattern parse_pattern(std::string_view name) {
  const auto& names = pattern_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    throw std::invalid_argument(fmt::format("'{}' is not an arrival pattern: choose one of {}",
                                            name, fmt::join(names, ", ")));
  }
  return static_cast<Pattern>(found - names.begin());
}

SingledOut parse_singled_out(std::string_view text, int ranks) {
  if (text == "rotate") return {SingledOut::Kind::kRotate, 0};
  if (text == "root") return {SingledOut::Kind::kRoot, 0};
  int rank = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
  if (error != std::errc{} || end != text.data() + text.size() || rank < 0 || rank >= ranks) {
    throw std::invalid_argument(fmt::format(
        "'{}' singles out no rank: give 'rotate', 'root' or a rank from 0 to {}", text, ranks - 1));
  }
  return {SingledOut::Kind::kRank, rank};
}

std::string arrivals_text(const ArrivalPlan& plan) {
  if (plan.skew_ns == 0) return "together (skew 0)";
  return fmt::format("{}, skew {} ms", pattern_name(plan.pattern),
                     static_cast<double>(plan.skew_ns) / 1e6);
}

std::vector<std::int64_t> arrival_delays_ns(const ArrivalPlan& plan, std::int64_t repetition,
                                            int root) {
  const auto ranks = static_cast<int>(plan.nodes.size());
  const std::int64_t skew_ns = plan.skew_ns;
  const int single = singled_out_rank(plan.singled_out, root, ranks, repetition);
  const int root_node = plan.nodes[static_cast<std::size_t>(root)];
  const int late_node = other_in_turn(root_node, node_count(plan.nodes), repetition);
  switch (plan.pattern) {
    case Pattern::kRandom:
      return random_delays(plan, repetition);
    case Pattern::kOneLate:
      return late_if(ranks, skew_ns, [&](int rank) { return rank == single; });
    case Pattern::kOneEarly:
      return late_if(ranks, skew_ns, [&](int rank) { return rank != single; });
    case Pattern::kAscending:
      return ascending_delays(ranks, skew_ns);
    case Pattern::kLateLeaders:
      return late_if(ranks, skew_ns, [&](int rank) { return is_lowest_of_node(plan.nodes, rank); });
    case Pattern::kLateNode:
      return late_if(ranks, skew_ns, [&](int rank) {
        return plan.nodes[static_cast<std::size_t>(rank)] == late_node;
      });
  }
  throw std::logic_error("unknown arrival pattern");
}

}  // namespace mpiactor::bench
