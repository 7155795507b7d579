#include "apps/common/broadcast_floor.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace mpiactor::apps {

BroadcastFloor play_floor(const BroadcastSteps& steps) {
  if (steps.counted == 0) return {};
  const auto ranks = static_cast<std::size_t>(steps.ranks);
  std::vector<std::int64_t> left_ns(ranks, 0);  // when each rank has left the last call
  std::vector<std::int64_t> arrival_ns(ranks, 0);
  std::int64_t begin_ns = 0;
  double waited_ns = 0.0;
  for (std::int64_t step = 0; step < steps.warmup + steps.counted; ++step) {
    const bool counts = step >= steps.warmup;
    if (step == steps.warmup) begin_ns = *std::min_element(left_ns.begin(), left_ns.end());
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      arrival_ns[rank] = left_ns[rank] + steps.length_ns(static_cast<int>(rank), step);
    }
    const std::int64_t root_ns = arrival_ns[static_cast<std::size_t>(steps.root(step))];
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      left_ns[rank] = std::max(arrival_ns[rank], root_ns);
      if (counts) waited_ns += static_cast<double>(left_ns[rank] - arrival_ns[rank]);
    }
  }
  const std::int64_t end_ns = *std::max_element(left_ns.begin(), left_ns.end());
  return {.in_call_us = waited_ns / static_cast<double>(steps.ranks) /
                        static_cast<double>(steps.counted) / 1000.0,
          .whole_us = static_cast<double>(end_ns - begin_ns) / 1000.0};
}

double floor_of_program_s(const std::vector<int>& roots, const std::vector<double>& lengths_ns) {
  if (roots.empty()) return 0.0;
  const BroadcastFloor floor =
      play_floor({.ranks = static_cast<int>(lengths_ns.size() / roots.size()),
                  .counted = static_cast<std::int64_t>(roots.size()),
                  .root = [&](std::int64_t step) { return roots[static_cast<std::size_t>(step)]; },
                  .length_ns = [&](int rank, std::int64_t step) -> std::int64_t {
                    if (step == 0) return 0;
                    return std::llround(lengths_ns[static_cast<std::size_t>(rank) * roots.size() +
                                                   static_cast<std::size_t>(step - 1)]);
                  }});
  return floor.in_call_us * static_cast<double>(roots.size()) * 1e-6;
}

}  // namespace mpiactor::apps
