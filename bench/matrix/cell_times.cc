#include "bench/matrix/cell_times.h"

#include <algorithm>

namespace mpiactor::bench {
namespace {

double to_us(std::int64_t ns) { return static_cast<double>(ns) / 1000.0; }

}  // namespace

std::int64_t last_needed_arrival_ns(Direction direction, const TimedCall& call, int rank) {
  const std::int64_t own = call.arrival_ns[static_cast<std::size_t>(rank)];
  const std::int64_t root = call.arrival_ns[static_cast<std::size_t>(call.root)];
  switch (direction) {
    case Direction::kFromRoot:
      return std::max(own, root);
    case Direction::kToRoot:
      if (rank != call.root) return own;
      break;
    case Direction::kAmongAll:
      break;
  }
  return *std::max_element(call.arrival_ns.begin(), call.arrival_ns.end());
}

CellSummary summarise(Direction direction, const std::vector<TimedCall>& calls) {
  std::vector<double> after_start, after_last, excess, root_excess, others_excess, in_call, spread;
  for (const TimedCall& call : calls) {
    const auto ranks = static_cast<int>(call.arrival_ns.size());
    for (int rank = 0; rank < ranks; ++rank) {
      const auto own = static_cast<std::size_t>(rank);
      const double excess_us =
          to_us(call.exit_ns[own] - last_needed_arrival_ns(direction, call, rank));
      excess.push_back(excess_us);
      const bool is_root = direction != Direction::kAmongAll && rank == call.root;
      (is_root ? root_excess : others_excess).push_back(excess_us);
      in_call.push_back(to_us(call.exit_ns[own] - call.arrival_ns[own]));
    }
    const auto [first, last] = std::minmax_element(call.arrival_ns.begin(), call.arrival_ns.end());
    const std::int64_t last_exit = *std::max_element(call.exit_ns.begin(), call.exit_ns.end());
    after_start.push_back(to_us(last_exit - call.start_ns));
    after_last.push_back(to_us(last_exit - *last));
    spread.push_back(to_us(*last - *first));
  }
  return {.last_exit_after_start_us = describe(std::move(after_start)),
          .last_exit_after_last_arrival_us = describe(std::move(after_last)),
          .excess_us = describe(std::move(excess)),
          .root_excess_us = describe(std::move(root_excess)),
          .others_excess_us = describe(std::move(others_excess)),
          .in_call_us = describe(std::move(in_call)),
          .arrival_spread_us = describe(std::move(spread))};
}

}  // namespace mpiactor::bench
