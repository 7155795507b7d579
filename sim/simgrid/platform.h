// A machine of the simulator as a platform of SimGrid.
#ifndef MPIACTOR_SIM_SIMGRID_PLATFORM_H_
#define MPIACTOR_SIM_SIMGRID_PLATFORM_H_

#include <string>

#include "inter/plan.h"
#include "sim/machine.h"

namespace mpiactor::sim {

// How a machine's times are shown there:
//   send_overhead                  SMPI's time in MPI_Isend, in which the rank does nothing else
//   hop                            latency of a link
//   wire_latency + receive_overhead  added to the sum of the links' latencies
//   startup                        left to the caller
//   rendezvous                     the engine's own announcements take its place

// Throws InputError where SimGrid cannot show the machine or the shape: it knows no eager limits
// that grow with the distance, no interfaces that links share, and no meshes.
void check_for_simgrid(const Machine& machine, const inter::Shape& shape);

// After smpi_init_options() and the engine, before add_torus().
void configure_simgrid(const Machine& machine);

// One host a node, named by host_name(node).
void add_torus(const Machine& machine, const inter::Shape& shape);
std::string host_name(unsigned long node);

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_SIMGRID_PLATFORM_H_
