// Which messages between nodes the MPI library sends at once, whether or not they are received.
#ifndef MPIACTOR_ACTOR_CONTAINER_EAGER_LIMIT_H_
#define MPIACTOR_ACTOR_CONTAINER_EAGER_LIMIT_H_

#include <mpi.h>

#include <cstdint>

namespace mpiactor {

inline constexpr std::uint64_t kMostEagerBytes = 16 << 10;  // that are asked about
inline constexpr std::uint64_t kLeastEagerBytes = 1 << 10;  // that are taken for granted

// Collective over `comm`: rank 0 tries it with `peer`, a rank of another node. The longest of a few
// lengths from kLeastEagerBytes to kMostEagerBytes, each with `header_bytes` before it; the same on
// all ranks. Throws std::runtime_error where an MPI call fails.
std::uint64_t find_eager_limit(MPI_Comm comm, int peer, std::uint64_t header_bytes);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_EAGER_LIMIT_H_
