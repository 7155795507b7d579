// The benchmark of [CP], Fig. 11: broadcasts of which each rank begins after a delay of its own.
#ifndef MPIACTOR_SIM_REPRODUCE_ARRIVAL_BENCHMARK_H_
#define MPIACTOR_SIM_REPRODUCE_ARRIVAL_BENCHMARK_H_

#include <functional>
#include <span>
#include <vector>

#include "sim/arrivals.h"
#include "sim/collective.h"
#include "sim/machine.h"

namespace mpiactor::sim {

// With arrivals drawn anew, each uniform in [0, skew].
inline constexpr int kArrivalRepetitions = 100;

// The mean time of each rank in the call, then the largest over the ranks. `exits` plays the call.
double largest_mean_us(
    const Layout& layout, double skew_us,
    const std::function<std::vector<Picoseconds>(std::span<const Picoseconds> arrivals)>& exits);
double largest_mean_us(const CollectiveInput& call, double skew_us);

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_REPRODUCE_ARRIVAL_BENCHMARK_H_
