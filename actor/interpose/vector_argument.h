// The vectors of a reduction's arguments.
#ifndef MPIACTOR_ACTOR_INTERPOSE_VECTOR_ARGUMENT_H_
#define MPIACTOR_ACTOR_INTERPOSE_VECTOR_ARGUMENT_H_

#include <mpi.h>

#include <cstddef>
#include <optional>

#include "actor/collectives/hybrid.h"
#include "actor/interpose/arguments.h"

namespace mpiactor::interpose {

inline const std::byte* bytes_at(const void* buffer) {
  return static_cast<const std::byte*>(buffer);
}
inline std::byte* bytes_at(void* buffer) { return static_cast<std::byte*>(buffer); }

// A vector that is there in `recv` too; nothing where the arguments are not for the runtime. Where
// `has_result` is false `recv` means nothing.
inline std::optional<Vector> make_vector(const void* send, void* recv, int send_count,
                                         int recv_count, MPI_Datatype type, bool has_result) {
  if (send_count <= 0) return std::nullopt;
  const bool in_place = send == MPI_IN_PLACE;
  if (in_place ? !has_result : !is_valid(send, send_count, type)) return std::nullopt;
  if (has_result) {
    if (!is_valid(recv, recv_count, type) || recv == send || (in_place && !recv)) {
      return std::nullopt;
    }
  }
  return Vector{bytes_at(in_place ? recv : send), has_result ? bytes_at(recv) : nullptr,
                static_cast<std::uint64_t>(send_count)};
}

}  // namespace mpiactor::interpose

#endif  // MPIACTOR_ACTOR_INTERPOSE_VECTOR_ARGUMENT_H_
