// An application whose ranks broadcast and compute in turn: when a rank comes to a broadcast
// follows from when it left the one before.
#ifndef MPIACTOR_SIM_CLOSED_LOOP_H_
#define MPIACTOR_SIM_CLOSED_LOOP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "sim/contender.h"
#include "sim/noise.h"

namespace mpiactor::sim {

struct Application {
  std::string name;
  std::uint64_t bytes = 0;    // of every broadcast
  std::uint64_t steps = 0;    // broadcasts
  Picoseconds computing = 0;  // of every rank, before every broadcast
  // Consecutive broadcasts that a rank is the root of before the next rank's turn comes.
  std::uint64_t steps_per_root = 1;

  int root_of(std::uint64_t step, int ranks) const {
    return static_cast<int>(step / steps_per_root % static_cast<std::uint64_t>(ranks));
  }
};

inline constexpr const char* kApplications = "asp, vcc";

// asp: Floyd-Warshall on 10,240 vertices [CP]: a broadcast for every row of 4-byte distances, the
// rows of a rank one after the other, 2 ns for each of the vertices^2 / ranks relaxations of a
// step. vcc: 16,384 variables of 1,024 observations in blocks of 32 variables, the first block of
// every rank, then the second of every rank (docs/vcc.md), 1 ns for each product, half of a block's
// pairs with the rank's variables being its own. Throws InputError.
Application make_application(const std::string& name, int ranks);

struct ClosedLoopInput {
  ContenderInput contender;  // `bytes` being the application's
  Application application;
  Noise noise;
};

// Means are over all steps; of times in the broadcast, over all ranks too.
struct ClosedLoopResult {
  double in_call_mean_us = 0;
  double root_in_call_mean_us = 0;
  double spread_mean_us = 0;  // latest minus earliest arrival
  double total_s = 0;         // until the last rank has left the last broadcast
};

// Ranks begin together, and compute and are held up by noise before every broadcast. Broadcasts are
// played one by one (see BroadcastPlayer). But with the plain contender a rank waits, having come,
// until all members of its node have left the broadcast kMostAhead before. Deterministic. Throws
// InputError, PlanError.
ClosedLoopResult run_closed_loop(const ClosedLoopInput& input);

// The noise at which the mean spread of the arrivals is `spread_us`, within 0.5 %, by bisection (of
// interpolated parts, since the spread grows nearly in proportion).
// Throws InputError where they are farther apart without any noise, or cannot be so far apart.
Picoseconds find_noise(ClosedLoopInput input, double spread_us);

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_CLOSED_LOOP_H_
