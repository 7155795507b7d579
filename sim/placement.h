// Where the nodes of a plan's shape sit on the physical network.
#ifndef MPIACTOR_SIM_PLACEMENT_H_
#define MPIACTOR_SIM_PLACEMENT_H_

#include <cstdint>
#include <vector>

#include "inter/plan.h"

namespace mpiactor::sim {

// The physical node of every node of `shape`. Each axis of `shape` winds over one or more
// successive physical axes whose extents multiply to its own, there and back, so that neighbours
// on the shape (but for the way round at its ends) are physical neighbours: 64x6 on 8x8x6, 384 on
// 8x6x8. Throws InputError where the extents do not multiply so.
std::vector<std::uint32_t> place_nodes(const inter::Shape& shape, const inter::Shape& physical);

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_PLACEMENT_H_
