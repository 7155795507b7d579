// What steps of computing, each followed by a broadcast, cost if a broadcast takes no time: what is
// left is waiting for roots that come later.
#ifndef MPIACTOR_APPS_COMMON_BROADCAST_FLOOR_H_
#define MPIACTOR_APPS_COMMON_BROADCAST_FLOOR_H_

#include <cstdint>
#include <functional>
#include <vector>

namespace mpiactor::apps {

// The steps: warmup ones first, all numbered from 0. Both functions are pure.
struct BroadcastSteps {
  int ranks = 1;
  std::int64_t warmup = 0;                                   // that no figure counts
  std::int64_t counted = 0;                                  // that follow
  std::function<int(std::int64_t)> root;                     // of a step's broadcast
  std::function<std::int64_t(int, std::int64_t)> length_ns;  // of a rank's computing in a step
};

// Means over ranks and counted steps.
struct BroadcastFloor {
  double in_call_us = 0.0;  // waiting for the root
  double whole_us = 0.0;    // of the counted steps: from the first begin to the last exit
};

// A rank arrives a step's length after it has left the last broadcast, and leaves at its own or the
// root's arrival, whichever is later. All begin at once.
BroadcastFloor play_floor(const BroadcastSteps& steps);

// Of a program that begins with a broadcast and computes after each: s in all of them, mean over
// ranks. `roots`: of each broadcast. `lengths_ns`: of the steps after them, rank by rank.
double floor_of_program_s(const std::vector<int>& roots, const std::vector<double>& lengths_ns);

}  // namespace mpiactor::apps

#endif  // MPIACTOR_APPS_COMMON_BROADCAST_FLOOR_H_
