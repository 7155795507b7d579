// Recorded collectives that go directly between nodes, or by the plans of leaders; see
// RecordedCall.
#ifndef MPIACTOR_SIM_DIRECT_CALLS_H_
#define MPIACTOR_SIM_DIRECT_CALLS_H_

#include <span>

#include "inter/select.h"
#include "sim/collective.h"
#include "sim/direct_plan.h"
#include "sim/recorded_call.h"
#include "sim/simulation.h"

namespace mpiactor::sim {

// Scatter, gather, reduce.
PlayedCall play_scatter(const Machine& machine, const RecordedCall& call, LeaderPolicy policy,
                        int candidates);
PlayedCall play_to_root(const Machine& machine, const RecordedCall& call, LeaderPolicy policy);
// Allgather, allgatherv, alltoall.
PlayedCall play_exchange(const Machine& machine, const RecordedCall& call, LeaderPolicy policy);
// Barrier, allreduce, reduce-scatter of equal blocks.
PlayedCall play_reduction_to_all(const Machine& machine, const RecordedCall& call,
                                 LeaderPolicy policy);
PlayedCall play_gatherv(const Machine& machine, const RecordedCall& call, LeaderPolicy policy);

// Of the ranks of `node`: who comes last (of several the highest), and when.
struct LastRank {
  int rank = 0;
  Picoseconds arrival = 0;
};
LastRank last_of_node(const RecordedCall& call, const Layout& layout, int node);
// Till when the leader of `node` waits for its members before it leaves sending to the last of
// them.
Picoseconds leader_waits_until(const RecordedCall& call, const Layout& layout, int node);
// When all ranks of `node` have laid their blocks down.
Picoseconds laid_down(const Machine& machine, const RecordedCall& call, const Layout& layout,
                      int node);

struct DirectInput {
  BetweenNodes between;
  bool combines = false;
  std::uint64_t segment_bytes = 0;
  std::span<const Picoseconds> entries;       // of nodes
  std::span<const Picoseconds> send_entries;  // as SimulationInput::send_arrivals
};
SimulationResult simulate_direct(const Machine& machine, const Layout& layout,
                                 const DirectInput& input);

// What leaders would run, as they choose it. `bytes`: as inter::select() counts them. Throws
// InputError.
inter::Selection select_plan(const RecordedCall& call, inter::Collective collective,
                             std::uint64_t bytes);

struct LeadersPlan {
  const inter::Algorithm* algorithm = nullptr;
  std::uint64_t bytes = 0;  // as inter::PlanInput
  std::uint64_t segment_bytes = 0;
  std::span<const Picoseconds> entries;  // of nodes
};
SimulationResult simulate_plan(const Machine& machine, const Layout& layout,
                               const LeadersPlan& leaders);

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_DIRECT_CALLS_H_
