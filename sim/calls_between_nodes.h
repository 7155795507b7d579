// Recorded collectives between nodes, but for broadcasts; see RecordedCall.
#ifndef MPIACTOR_SIM_CALLS_BETWEEN_NODES_H_
#define MPIACTOR_SIM_CALLS_BETWEEN_NODES_H_

#include <functional>
#include <span>

#include "inter/select.h"
#include "sim/collective.h"
#include "sim/recorded_call.h"
#include "sim/simulation.h"

namespace mpiactor::sim {

// Scatter, gather, reduce.
PlayedCall play_scatter(const Machine& machine, const RecordedCall& call, LeaderPolicy policy,
                        int candidates);
PlayedCall play_to_root(const Machine& machine, const RecordedCall& call, LeaderPolicy policy);
// Barrier, allreduce, reduce-scatter of equal blocks, allgather, allgatherv, alltoall.
PlayedCall play_without_root(const Machine& machine, const RecordedCall& call, LeaderPolicy policy);
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

// What leaders would run, as they choose it. `bytes`: as inter::select() counts them. Throws
// InputError.
inter::Selection select_plan(const RecordedCall& call, inter::Collective collective,
                             std::uint64_t bytes);

// One plan a node.
struct NodesInput {
  std::function<inter::Plan(int node)> make_plan;
  std::uint64_t segment_bytes = 0;
  std::span<const Picoseconds> entries;            // of nodes
  std::span<const Picoseconds> send_entries = {};  // as SimulationInput::send_arrivals
};
SimulationResult simulate_nodes(const Machine& machine, const Layout& layout,
                                const NodesInput& input);

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_CALLS_BETWEEN_NODES_H_
