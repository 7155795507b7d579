// Plays the plans of all nodes on the modelled machine, one discrete event after the other.
#ifndef MPIACTOR_SIM_SIMULATION_H_
#define MPIACTOR_SIM_SIMULATION_H_

#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <vector>

#include "inter/plan.h"
#include "sim/machine.h"
#include "sim/network.h"

namespace mpiactor::sim {

// The plans of the nodes do not fit together: a peer out of range, a send without its receive, a
// circle of waits. A fault of the algorithm, not of the input.
class PlanError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct SimulationInput {
  const Machine* machine = nullptr;
  inter::Shape shape;
  // The network under it and the place of every node there; no places: the shape itself. Nodes that
  // have one place are ranks of one machine's node: see Network.
  inter::Shape physical;
  std::vector<std::uint32_t> places;
  std::uint64_t segment_bytes = 0;  // at least 1
  int window = 1;                   // segments of one operation that may be under way at once
  // Called once per node, when the node is first needed; only its compact form is kept.
  std::function<inter::Plan(int node)> make_plan;
  // When each node's leader enters the call; empty: all at 0.
  std::span<const Picoseconds> arrivals;
  // When each node's sends may begin, where that is another moment than its receives'; empty: with
  // the arrival.
  std::span<const Picoseconds> send_arrivals;
  // When each operation of a node's plan may begin, where they are more than one process's; not
  // before the node's arrival. Empty: with the above.
  std::span<const std::vector<Picoseconds>> op_arrivals;
  // Time that each node's followers need for a byte of staging; empty: nobody copies.
  std::span<const double> copy_ps_per_byte;
  bool keep_taken = false;  // SimulationResult::taken
};

// A segment that a node has received.
struct TakenSegment {
  Picoseconds at = 0;
  std::uint64_t bytes = 0;
};

struct SimulationResult {
  Picoseconds end = 0;  // the last operation's end
  std::uint64_t transfers = 0;
  std::vector<Picoseconds> node_ends;
  std::vector<Picoseconds> receive_ends;  // of each node's receives alone
  // Of each operation of a node's plan; empty where op_arrivals is.
  std::vector<std::vector<Picoseconds>> op_ends;
  // When a follower that was there all the time has copied, segment by segment, all that its node
  // received. Empty where nobody copies.
  std::vector<Picoseconds> copies_ends;
  // Of each node in the order of time; empty where not asked for.
  std::vector<std::vector<TakenSegment>> taken;
  LinkStatistics links;
};

// A segment goes when its operation's waits allow it (see inter::PlanOp), the segments before it
// and the operations before it on its channel are under way, fewer than `window` of the operation
// are unfinished, and the receiver can take it: operations up to the machine's eager limit need
// nothing of the receiver, longer ones its arrival, its waits (but for kReceiveReduce, which takes
// segments into memory of its own) and once the rendezvous. It is finished for the sender when the
// receiver has taken it, or on delivery where it was pushed; for the receiver when it has taken
// and, for kReceiveReduce, combined it.
//
// Deterministic: the same input gives the same result, picosecond by picosecond.
// Throws PlanError.
SimulationResult simulate(const SimulationInput& input);

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_SIMULATION_H_
