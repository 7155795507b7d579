#include "bench/loop/loop_figures.h"

#include <algorithm>

namespace mpiactor::bench {

LoopFigures figures_of(const std::vector<CallTimes>& calls, std::int64_t begin_ns,
                       const apps::BroadcastFloor& floor) {
  const CallSummary summary = summarise(calls);
  std::int64_t end_ns = begin_ns;
  for (const CallTimes& call : calls) {
    end_ns = std::max(end_ns, *std::max_element(call.exit_ns.begin(), call.exit_ns.end()));
  }
  // A call has one root, whose excess is all of its time.
  const auto ranks = static_cast<double>(calls.front().arrival_ns.size());
  const double excess_us =
      (summary.root_in_call_us.mean + (ranks - 1.0) * summary.excess_us.mean) / ranks;
  return {.in_call_us = summary.in_call_us.mean,
          .floor_us = floor.in_call_us,
          .net_us = summary.in_call_us.mean - floor.in_call_us,
          .excess_us = excess_us,
          .others_excess_us = summary.excess_us.mean,
          .root_in_call_us = summary.root_in_call_us.mean,
          .spread_us = summary.arrival_spread_us.mean,
          .whole_us = static_cast<double>(end_ns - begin_ns) / 1000.0,
          .floor_whole_us = floor.whole_us};
}

}  // namespace mpiactor::bench
