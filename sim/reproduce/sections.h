// The sections of the reproduction, one file each.
#ifndef MPIACTOR_SIM_REPRODUCE_SECTIONS_H_
#define MPIACTOR_SIM_REPRODUCE_SECTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "sim/arguments.h"
#include "sim/reproduce/document.h"
#include "sim/sweep.h"

namespace mpiactor::sim {

// [CP]: what waiting for late ranks costs, in closed form and simulated (Figs 3, 4, 6).
void reproduce_waits(Document* document);
// [CP] Figs 12 to 17: pipelined against competitive and pipelined broadcasts.
void reproduce_cluster(Document* document);
// [CP] Figs 18 to 21: against a library that does not pipeline.
void reproduce_cluster_library(Document* document);
// [CP] Figs 22 to 25: two applications in a closed loop.
void reproduce_applications(Document* document);
// [K-perf] Table 1.
void reproduce_k_table(Document* document);
// [K-MPI] Figs 4 to 7: latency and bandwidth between two nodes.
void reproduce_k_point_to_point(Document* document);
// [K-MPI] Figs 8 and 9: broadcast and allreduce on 9,216 nodes.
void reproduce_k_large(Document* document);
// [K-MPI] Fig. 10: memory of a process.
void reproduce_k_memory(Document* document);
// [Fugaku] Figs 5, 6: ten algorithms over shapes.
void reproduce_fugaku_shapes(Document* document);
// [Fugaku] Figs 4 and 7: the vendor's selection.
void reproduce_fugaku_auto(Document* document);
// [Fugaku] Fig. 8: segment sizes.
void reproduce_fugaku_segments(Document* document);

// Selection against the best of all algorithms and segments, and against the vendor's choice.
void reproduce_selection(Document* document);
void reproduce_selection_on_other_shapes(Document* document);
void reproduce_selection_of_exchanges(Document* document);
// [Fugaku] Figs 1 to 3: alltoall.
void reproduce_fugaku_alltoall(Document* document);
// Nodes that come late on large machines.
void reproduce_late_nodes(Document* document);
// 82,944 nodes, and how fast they are simulated.
void reproduce_whole_machine(Document* document);

// A collective with rank 0 as its root, everybody at once.
SweepInput sweep_of(const std::string& collective, const Machine& machine, const std::string& shape,
                    const std::string& algorithm, const std::string& sizes);

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_REPRODUCE_SECTIONS_H_
