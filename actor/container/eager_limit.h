// Which messages between nodes the MPI library sends at once, whether or not they are received.
#ifndef MPIACTOR_ACTOR_CONTAINER_EAGER_LIMIT_H_
#define MPIACTOR_ACTOR_CONTAINER_EAGER_LIMIT_H_

#include <mpi.h>

#include <cstdint>

#include "actor/container/node_layout.h"
#include "actor/container/push_limit.h"

namespace mpiactor {

inline constexpr std::uint64_t kLeastEagerBytes = 1 << 10;  // that are taken for granted

// Collective over `comm`, whose ranks lie on several nodes: rank 0 tries it with a rank of another
// one. The longest of a few lengths from kLeastEagerBytes to kMostEagerBytes, each with the header
// of a pushed message before it; the same on all ranks. Throws std::runtime_error where an MPI call
// fails.
std::uint64_t find_eager_limit(MPI_Comm comm, const NodeLayout& layout);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_EAGER_LIMIT_H_
