// One collective call of all ranks on the modelled machine.
#ifndef MPIACTOR_SIM_COLLECTIVE_H_
#define MPIACTOR_SIM_COLLECTIVE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "inter/plan.h"
#include "inter/registry.h"
#include "sim/arrivals.h"
#include "sim/machine.h"
#include "sim/simulation.h"

namespace mpiactor::sim {

struct CollectiveInput {
  Machine machine;
  inter::Shape shape;
  // The torus on which the shape is laid (see placement.h); none: the shape itself.
  std::optional<inter::Shape> physical;
  inter::Algorithm algorithm;
  // As MPI counts: broadcast, reduce, allreduce: the vector; allgather: what each rank gives;
  // alltoall: what each rank gives each rank.
  std::uint64_t bytes = 0;
  std::uint64_t segment_bytes = 0;  // 0: the machine's
  int window = 0;                   // 0: the machine's
  int root_rank = 0;
  int ranks_per_node = 1;
  // Broadcast: ranks of every node, where they are not equally many; `ranks_per_node` does not
  // matter then.
  std::vector<int> node_ranks;
  LeaderPolicy leader = LeaderPolicy::kStatic;
  RootSender sender = RootSender::kRoot;  // of a broadcast
  int candidates = 0;                     // 0: min(ranks of a node, 8)
  std::vector<Picoseconds> arrivals;      // per rank; empty: all at 0
  // Broadcast down trees: so long a node that has the message waits for a late one before it serves
  // those below that one (inter/past_late_nodes.h). None: they wait for the late one.
  std::optional<Picoseconds> patience = {};

  Layout layout() const;  // throws InputError
};

// Throws InputError where run_collective() would, but for what arrivals are.
void check(const CollectiveInput& input);

struct CollectiveResult {
  Picoseconds end = 0;             // the last rank's exit
  std::vector<Picoseconds> exits;  // per rank
  double in_call_mean_ps = 0;      // over all ranks
  Picoseconds in_call_max_ps = 0;
  // Time in the call beyond what the arrivals that a rank needs force on it (needed_arrivals()); of
  // a broadcast over the ranks but the root, else over all.
  double excess_mean_ps = 0;
  int adopted = 0;  // nodes, in each of their trees, that were served past late ones
  SimulationResult simulation;
};

// A leader leaves when its node's plan is done. Broadcast: a follower leaves when it has copied all
// from its node's staging, segment by segment as they come (pipelining, [CP]); so does one that
// sends for the root, which leaves when it has laid its message down. The other collectives need
// all ranks of a node: its plan starts when the last of them has come and their data is gathered
// (reduce, allreduce: combined) in staging; its followers copy the result when the plan is done
// (reduce: they leave when the plan starts). Throws InputError, PlanError.
CollectiveResult run_collective(const CollectiveInput& input);

// A root for which another rank sends lays its message down in pieces of so much, so that others
// copy and send while it does.
inline constexpr std::uint64_t kLaidDownAtOnce = 8 << 10;

// When each node's plan of a broadcast may start, but for the machine's start-up: when its leader
// has come; where another rank sends for the root, when the first piece lies in staging.
std::vector<Picoseconds> bcast_entries(const Machine& machine, const Layout& layout,
                                       const Leaders& leaders, int root_rank, std::uint64_t bytes);

// As the copies and combinations within a node count.
Picoseconds time_of(std::uint64_t bytes, double ps_per_byte);

// Bytes that count for one byte of `bytes` in a throughput: T = work * bytes / t. 1 for broadcast
// and reduce, 2 for allreduce and the number of ranks for allgather [K-perf], (p - l) l for
// alltoall over p ranks, l to a node [Fugaku] eq. 1.
double work_per_byte(inter::Collective collective, const Layout& layout);

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_COLLECTIVE_H_
