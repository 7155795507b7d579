#include "bench/call_times.h"

#include <algorithm>

namespace mpiactor::bench {
namespace {

double to_us(std::int64_t ns) { return static_cast<double>(ns) / 1000.0; }

double slowest_rank_mean_us(const std::vector<CallTimes>& calls) {
  if (calls.empty()) return 0;
  std::vector<double> sum_us(calls.front().arrival_ns.size(), 0.0);
  for (const CallTimes& call : calls) {
    for (std::size_t rank = 0; rank < sum_us.size(); ++rank) {
      sum_us[rank] += to_us(call.exit_ns[rank] - call.arrival_ns[rank]);
    }
  }
  return *std::max_element(sum_us.begin(), sum_us.end()) / static_cast<double>(calls.size());
}

}  // namespace

std::int64_t excess_ns(const CallTimes& call, int rank) {
  const auto own = static_cast<std::size_t>(rank);
  const std::int64_t root_arrival_ns = call.arrival_ns[static_cast<std::size_t>(call.root)];
  const std::int64_t forced_ns = std::max<std::int64_t>(0, root_arrival_ns - call.arrival_ns[own]);
  return call.exit_ns[own] - call.arrival_ns[own] - forced_ns;
}

CallSummary summarise(const std::vector<CallTimes>& calls) {
  std::vector<double> in_call, excess, root_in_call, after_last_arrival, after_root, spread;
  for (const CallTimes& call : calls) {
    const auto ranks = static_cast<int>(call.arrival_ns.size());
    for (int rank = 0; rank < ranks; ++rank) {
      const auto own = static_cast<std::size_t>(rank);
      const double time_us = to_us(call.exit_ns[own] - call.arrival_ns[own]);
      in_call.push_back(time_us);
      if (rank == call.root) {
        root_in_call.push_back(time_us);
      } else {
        excess.push_back(to_us(excess_ns(call, rank)));
      }
    }
    const auto [first, last] = std::minmax_element(call.arrival_ns.begin(), call.arrival_ns.end());
    const std::int64_t last_exit = *std::max_element(call.exit_ns.begin(), call.exit_ns.end());
    after_last_arrival.push_back(to_us(last_exit - *last));
    after_root.push_back(to_us(last_exit - call.arrival_ns[static_cast<std::size_t>(call.root)]));
    spread.push_back(to_us(*last - *first));
  }
  return {.in_call_us = describe(std::move(in_call)),
          .slowest_rank_in_call_us = slowest_rank_mean_us(calls),
          .excess_us = describe(std::move(excess)),
          .root_in_call_us = describe(std::move(root_in_call)),
          .last_exit_after_last_arrival_us = describe(std::move(after_last_arrival)),
          .last_exit_after_root_entry_us = describe(std::move(after_root)),
          .arrival_spread_us = describe(std::move(spread))};
}

}  // namespace mpiactor::bench
