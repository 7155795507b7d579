#include "bench/loop/floor.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace mpiactor::bench {

int root_of(const LoopShape& shape, std::int64_t step) {
  return static_cast<int>(step / shape.root_every % shape.ranks);
}

LoopFloor play_floor(const LoopShape& shape,
                     const std::function<std::int64_t(int, std::int64_t)>& noise_ns) {
  const auto ranks = static_cast<std::size_t>(shape.ranks);
  std::vector<std::int64_t> left_ns(ranks, 0);  // when each rank has left the last call
  std::vector<std::int64_t> arrival_ns(ranks, 0);
  std::int64_t begin_ns = 0;
  double waited_ns = 0.0;
  for (std::int64_t step = 0; step < shape.warmup + shape.steps; ++step) {
    const bool counts = step >= shape.warmup;
    if (step == shape.warmup) begin_ns = *std::min_element(left_ns.begin(), left_ns.end());
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      arrival_ns[rank] = left_ns[rank] + shape.step_ns + noise_ns(static_cast<int>(rank), step);
    }
    const std::int64_t root_ns = arrival_ns[static_cast<std::size_t>(root_of(shape, step))];
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      left_ns[rank] = std::max(arrival_ns[rank], root_ns);
      if (counts) waited_ns += static_cast<double>(left_ns[rank] - arrival_ns[rank]);
    }
  }
  if (shape.steps == 0) return {};
  const std::int64_t end_ns = *std::max_element(left_ns.begin(), left_ns.end());
  return {.in_call_us = waited_ns / static_cast<double>(shape.ranks) /
                        static_cast<double>(shape.steps) / 1000.0,
          .whole_us = static_cast<double>(end_ns - begin_ns) / 1000.0};
}

}  // namespace mpiactor::bench
