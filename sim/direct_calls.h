// Recorded collectives that go directly between nodes; see RecordedCall.
#ifndef MPIACTOR_SIM_DIRECT_CALLS_H_
#define MPIACTOR_SIM_DIRECT_CALLS_H_

#include <span>

#include "sim/collective.h"
#include "sim/direct_plan.h"
#include "sim/recorded_call.h"
#include "sim/simulation.h"

namespace mpiactor::sim {

// Scatter, gather, reduce.
PlayedCall play_scatter(const Machine& machine, const RecordedCall& call, LeaderPolicy policy,
                        int candidates);
PlayedCall play_to_root(const Machine& machine, const RecordedCall& call, LeaderPolicy policy);
// Allgather, alltoall.
PlayedCall play_exchange(const Machine& machine, const RecordedCall& call, LeaderPolicy policy);

// Of the ranks of `node`: who comes last (of several the highest), and when.
struct LastRank {
  int rank = 0;
  Picoseconds arrival = 0;
};
LastRank last_of_node(const RecordedCall& call, const Layout& layout, int node);

struct DirectInput {
  BetweenNodes between;
  bool combines = false;
  std::uint64_t segment_bytes = 0;
  std::span<const Picoseconds> entries;       // of nodes
  std::span<const Picoseconds> send_entries;  // as SimulationInput::send_arrivals
};
SimulationResult simulate_direct(const Machine& machine, const Layout& layout,
                                 const DirectInput& input);

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_DIRECT_CALLS_H_
