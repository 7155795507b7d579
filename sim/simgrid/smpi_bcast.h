// Broadcasts by the runtime's engine, over SimGrid's SMPI on a modelled torus.
#ifndef MPIACTOR_SIM_SIMGRID_SMPI_BCAST_H_
#define MPIACTOR_SIM_SIMGRID_SMPI_BCAST_H_

#include <cstdint>
#include <vector>

#include "inter/plan.h"
#include "inter/registry.h"
#include "sim/machine.h"

namespace mpiactor::sim {

inline constexpr int kMostWindow = 8;  // the engine's

struct SmpiCase {
  const inter::Algorithm* algorithm = nullptr;
  std::uint64_t bytes = 0;
  std::uint64_t segment_bytes = 0;
  int window = 1;  // 1..kMostWindow
};

struct SmpiResult {
  Picoseconds end = 0;   // from the call of all ranks to the last one's leaving
  bool checked = false;  // all ranks got the root's bytes; else: their memory was shared
};

// One rank a node, root 0, all ranks enter together. In the order of `cases`. Ranks have memory of
// their own, whose content is checked in the end, up to `most_private_bytes` of all ranks.
// SimGrid can be used once in a process, so this can. Throws InputError where SimGrid cannot show
// the machine or shape, std::runtime_error where a rank has not got the root's bytes.
std::vector<SmpiResult> run_under_smpi(const Machine& machine, const inter::Shape& shape,
                                       const std::vector<SmpiCase>& cases,
                                       std::uint64_t most_private_bytes);

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_SIMGRID_SMPI_BCAST_H_
