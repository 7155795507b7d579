// Members of a node that copy a message out of staging while it comes.
#ifndef MPIACTOR_SIM_NODE_COPIES_H_
#define MPIACTOR_SIM_NODE_COPIES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "sim/machine.h"
#include "sim/simulation.h"

namespace mpiactor::sim {

// When each member has copied all segments. A member copies what is there from its own beginning
// on, at the machine's copy_mbps, or at its share of memory_mbps where that is less: only those who
// copy at the moment share. Segments are in the order of time.
std::vector<Picoseconds> copies_ends(const Machine& machine, std::span<const TakenSegment> segments,
                                     std::span<const Picoseconds> begins);

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_NODE_COPIES_H_
