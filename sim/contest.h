// An application in a closed loop under all contenders, over amounts of noise.
#ifndef MPIACTOR_SIM_CONTEST_H_
#define MPIACTOR_SIM_CONTEST_H_

#include <array>
#include <vector>

#include "sim/closed_loop.h"
#include "sim/plot.h"
#include "sim/sweep.h"

namespace mpiactor::sim {

struct ContestInput {
  ClosedLoopInput base;  // contender, sender and largest noise do not matter
  // Of the runtime's contenders; with the others the root sends.
  RootSender static_sender = RootSender::kNode;
  RootSender competitive_sender = RootSender::kNode;
  std::vector<Picoseconds> noises;  // largest
  int threads = 0;                  // cores; 0: all
};

// Of one amount of noise; in the order of kContenders.
struct ContestPoint {
  Picoseconds noise = 0;
  std::array<ClosedLoopResult, kContenders.size()> results;

  const ClosedLoopResult& of(Contender contender) const {
    return results[static_cast<std::size_t>(contender)];
  }
  // Mean time in the broadcast as a share of another contender's.
  double ratio(Contender contender, Contender to) const {
    return of(contender).in_call_mean_us / of(to).in_call_mean_us;
  }
};

RootSender sender_of(const ContestInput& input, Contender contender);

// Throws InputError, PlanError.
std::vector<ContestPoint> run_contest(const ContestInput& input);

// The noise at which arrivals under the plain contender are `spread_us` apart, see find_noise().
Picoseconds noise_of_spread(const ContestInput& input, double spread_us);

// Mean time in the broadcast over the largest noise, a curve a contender.
Plot plot_of(const ContestInput& input, const std::vector<ContestPoint>& points);

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_CONTEST_H_
