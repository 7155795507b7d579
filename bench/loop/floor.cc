#include "bench/loop/floor.h"

namespace mpiactor::bench {

int root_of(const LoopShape& shape, std::int64_t step) {
  return static_cast<int>(step / shape.root_every % shape.ranks);
}

apps::BroadcastFloor play_floor(const LoopShape& shape,
                                const std::function<std::int64_t(int, std::int64_t)>& noise_ns) {
  return apps::play_floor(
      {.ranks = shape.ranks,
       .warmup = shape.warmup,
       .counted = shape.steps,
       .root = [&](std::int64_t step) { return root_of(shape, step); },
       .length_ns = [&](int rank,
                        std::int64_t step) { return shape.step_ns + noise_ns(rank, step); }});
}

}  // namespace mpiactor::bench
