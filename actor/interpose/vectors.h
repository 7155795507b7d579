// The vectors of a reduction's arguments.
#ifndef MPIACTOR_ACTOR_INTERPOSE_VECTORS_H_
#define MPIACTOR_ACTOR_INTERPOSE_VECTORS_H_

#include <mpi.h>

#include <climits>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "actor/collectives/collectives.h"
#include "actor/interpose/library_check.h"

namespace mpiactor::interpose {

// Whether the MPI library refuses a vector of `send_count` elements whose result, of `recv_count`
// elements here, goes to `recv` (nullptr and 0 on ranks that get none).
inline bool is_vector_refused(const void* send, MPI_Count send_count, const void* recv,
                              MPI_Count recv_count, MPI_Datatype type) {
  if (is_refused(recv, recv_count, type)) return true;
  if (send == MPI_IN_PLACE) return false;
  if (is_refused(send, send_count, type)) return true;
  return recv && send_count > 0 && is_alias_refused(send, recv);
}

// Where each rank's share of a reduce_scatter's result begins, and the end, in elements. Empty
// where the MPI library refuses the counts.
template <typename Count>
std::vector<std::uint64_t> shares_of(const Count* counts, int ranks) {
  if (!counts) return {};
  std::vector<std::uint64_t> first(static_cast<std::size_t>(ranks) + 1);
  for (std::size_t r = 0; r + 1 < first.size(); ++r) {
    if (counts[r] < 0) return {};
    first[r + 1] = first[r] + static_cast<std::uint64_t>(counts[r]);
  }
  return first;
}

inline std::vector<std::uint64_t> equal_shares(MPI_Count count, int ranks) {
  if (count < 0 || count > INT_MAX) return {};
  std::vector<std::uint64_t> first(static_cast<std::size_t>(ranks) + 1);
  for (std::size_t r = 0; r < first.size(); ++r) first[r] = r * static_cast<std::uint64_t>(count);
  return first;
}

// `recv`: nullptr on ranks that get no result.
inline Vector make_vector(const void* send, void* recv, MPI_Count count) {
  return {static_cast<const std::byte*>(send == MPI_IN_PLACE ? recv : send),
          static_cast<std::byte*>(recv), static_cast<std::uint64_t>(count)};
}

}  // namespace mpiactor::interpose

#endif  // MPIACTOR_ACTOR_INTERPOSE_VECTORS_H_
