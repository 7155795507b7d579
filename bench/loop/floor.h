// A loop of steps and broadcasts, and what it costs if a broadcast takes no time.
#ifndef MPIACTOR_BENCH_LOOP_FLOOR_H_
#define MPIACTOR_BENCH_LOOP_FLOOR_H_

#include <cstdint>
#include <functional>

#include "apps/common/broadcast_floor.h"

namespace mpiactor::bench {

// The steps of a loop: warmup ones first, all numbered from 0.
struct LoopShape {
  int ranks = 1;
  std::int64_t warmup = 0;   // steps that no figure counts
  std::int64_t steps = 0;    // that follow, and count
  std::int64_t step_ns = 0;  // of every step, noise is added to it
  int root_every = 1;        // steps with the same root
};

// Root of a step: (step / root_every) % ranks.
int root_of(const LoopShape& shape, std::int64_t step);

// `noise_ns(rank, step)` is pure.
apps::BroadcastFloor play_floor(const LoopShape& shape,
                                const std::function<std::int64_t(int, std::int64_t)>& noise_ns);

}  // namespace mpiactor::bench

#endif  // MPIACTOR_BENCH_LOOP_FLOOR_H_
