// The MPI library's own check of a call's arguments, as far as it would refuse them on this rank
// without communicating: such a call goes to the library, which raises its error. What the library
// would not refuse, the runtime handles on every rank.
#ifndef MPIACTOR_ACTOR_INTERPOSE_LIBRARY_CHECK_H_
#define MPIACTOR_ACTOR_INTERPOSE_LIBRARY_CHECK_H_

#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <cstddef>

#include "actor/abi/handles.h"
#include "actor/buffers/rank_blocks.h"
#include "actor/container/world.h"

namespace mpiactor::interpose {

// Builtin types that the MPI library has once called valid, by their numbers.
// They stay valid, so asking again would only cost time: as much as a short collective on shared
// caches.
inline std::array<std::atomic<MPI_Datatype>, kTypeNumbers + 1> valid_builtins{};

inline std::atomic<MPI_Datatype>& known_builtin(MPI_Datatype type) {
  return valid_builtins[type_number(type)];
}

// On a communicator of one process a broadcast checks its arguments and does nothing else.
inline bool passes_check(const void* buffer, MPI_Count count, MPI_Datatype type) {
  const int some = static_cast<int>(std::min<MPI_Count>(count, INT_MAX));
  return PMPI_Bcast(const_cast<void*>(buffer), some, type, 0, world()->self_comm) == MPI_SUCCESS;
}

inline bool is_refused(MPI_Datatype type) {
  if (is_builtin(type) && known_builtin(type).load(std::memory_order_relaxed) == type) return false;
  static const std::byte somewhere{};
  if (!passes_check(&somewhere, 1, type)) return true;
  if (is_builtin(type)) known_builtin(type).store(type, std::memory_order_relaxed);
  return false;
}

// A buffer that the call reads or writes.
inline bool is_refused(const void* buffer, MPI_Count count, MPI_Datatype type) {
  if (count < 0 || is_refused(type)) return true;
  if (count == 0) return false;
  return buffer == MPI_IN_PLACE || (!buffer && !passes_check(buffer, count, type));
}

// Of the buffer of a rank of which only the root may ask for that. A library may take it for an
// address elsewhere where the buffer is empty.
inline bool is_in_place(const void* buffer, MPI_Count count, bool is_root) {
  return buffer == MPI_IN_PLACE && (is_root || count != 0 || !kTakesEmptyInPlace);
}

// One block for each rank. MPICH looks at the address of blocks without displacement alone.
inline bool are_refused(const void* buffer, CountArray counts, CountArray displacements,
                        MPI_Datatype type, int ranks) {
  if (!counts || !displacements || is_refused(type)) return true;
  for (int rank = 0; rank < ranks; ++rank) {
    if (counts[rank] < 0 || (counts[rank] > 0 && buffer == MPI_IN_PLACE)) return true;
    if (!buffer && displacements[rank] == 0 && is_refused(buffer, counts[rank], type)) return true;
  }
  return false;
}

// Send and receive buffers that are one. The library can be told to let them pass.
inline bool is_alias_refused(const void* send, const void* recv) {
  if (send != recv) return false;
  static const bool library_refuses_aliases = [] {
    // Elements without a byte: where they are let pass, nothing is copied onto itself.
    MPI_Datatype nothing;
    PMPI_Type_contiguous(0, MPI_BYTE, &nothing);
    PMPI_Type_commit(&nothing);
    std::byte here{};
    const int error = PMPI_Allgather(&here, 1, nothing, &here, 1, nothing, world()->self_comm);
    PMPI_Type_free(&nothing);
    return error != MPI_SUCCESS;
  }();
  return library_refuses_aliases;
}

// The same for a block of `recv`, beside blocks of one type.
inline bool is_alias_refused(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                             const void* recv, MPI_Count recv_count, MPI_Count recv_begin,
                             MPI_Datatype recv_type) {
  if (send_type != recv_type || send_count == 0 || recv_count == 0) return false;
  // MPICH takes the type's size for its extent.
  MPI_Count size = 0;
  if (is_builtin(recv_type)) {
    size = static_cast<MPI_Count>(builtin_bytes(recv_type));
  } else {
    PMPI_Type_size_x(recv_type, &size);
  }
  return is_alias_refused(send, static_cast<const std::byte*>(recv) + recv_begin * size);
}

}  // namespace mpiactor::interpose

#endif  // MPIACTOR_ACTOR_INTERPOSE_LIBRARY_CHECK_H_
