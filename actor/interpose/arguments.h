// Whether a collective's arguments are such that the runtime may work with them. What is not goes
// to the MPI library, which knows the right error.
#ifndef MPIACTOR_ACTOR_INTERPOSE_ARGUMENTS_H_
#define MPIACTOR_ACTOR_INTERPOSE_ARGUMENTS_H_

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstddef>

#include "actor/collectives/message.h"
#include "actor/container/world.h"

namespace mpiactor::interpose {

// Builtin types that the MPI library has once called valid, by the lowest byte of their handle.
// They stay valid, so asking again would only cost time: as much as a short collective on shared
// caches.
inline std::array<std::atomic<MPI_Datatype>, 256> valid_builtins{};

// The MPI library's own checks of buffer, count and type: on a communicator of one process a
// broadcast does nothing else.
inline bool is_valid(const void* buffer, MPI_Count count, MPI_Datatype type) {
  if (buffer == MPI_IN_PLACE) return false;
  std::atomic<MPI_Datatype>& known = valid_builtins[static_cast<std::size_t>(type) & 0xff];
  const bool is_known = is_builtin(type) && known.load(std::memory_order_relaxed) == type;
  if (is_known && buffer && count >= 0) return true;
  if (PMPI_Bcast_c(const_cast<void*>(buffer), count, type, 0, world()->self_comm) != MPI_SUCCESS) {
    return false;
  }
  if (is_builtin(type)) known.store(type, std::memory_order_relaxed);
  return true;
}

// Arrays of counts, of which none is negative, and displacements.
inline bool are_valid(const int* counts, const int* displacements, int ranks) {
  if (!counts || !displacements) return false;
  for (int rank = 0; rank < ranks; ++rank) {
    if (counts[rank] < 0) return false;
  }
  return true;
}

}  // namespace mpiactor::interpose

#endif  // MPIACTOR_ACTOR_INTERPOSE_ARGUMENTS_H_
