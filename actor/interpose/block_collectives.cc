// MPI_Allgather(v), MPI_Gather, MPI_Scatter, MPI_Alltoall.
#include <optional>

#include "actor/collectives/hybrid.h"
#include "actor/interpose/arguments.h"
#include "actor/interpose/interpose.h"
#include "actor/interpose/take_over.h"

namespace mpiactor::interpose {
namespace {

void* unconst(const void* buffer) { return const_cast<void*>(buffer); }

}  // namespace

int allgather(const void* send, int send_count, MPI_Datatype send_type, void* recv, int recv_count,
              MPI_Datatype recv_type, MPI_Comm comm) {
  const auto pass_on = [&] {
    return PMPI_Allgather(send, send_count, send_type, recv, recv_count, recv_type, comm);
  };
  CommState* const state = handled_state(comm);
  if (state && is_left_to_library(*state, Operation::kAllgather, recv_count, recv_type)) {
    return pass(pass_on);
  }
  const bool in_place = send == MPI_IN_PLACE;
  if (!state || recv_count <= 0 || !is_valid(recv, recv_count, recv_type) ||
      (!in_place && !is_valid(send, send_count, send_type))) {
    return pass(pass_on);
  }
  RankBlocks all(recv, recv_count, recv_type, state->size);
  if (all.bytes(0) == 0 || all.address(state->rank) == send) return pass(pass_on);
  RankBlocks mine = in_place ? RankBlocks(all.address(state->rank), recv_count, recv_type, 1)
                             : RankBlocks(unconst(send), send_count, send_type, 1);
  if (mine.bytes(0) != all.bytes(0)) return pass(pass_on);
  return take_over(
      {Operation::kAllgather, comm, state, all.bytes(0)},
      [&](Container& container) {
        return hybrid_allgather(container, comm, Operation::kAllgather, mine, all);
      },
      pass_on);
}

int allgatherv(const void* send, int send_count, MPI_Datatype send_type, void* recv,
               const int* counts, const int* displacements, MPI_Datatype recv_type, MPI_Comm comm) {
  const auto pass_on = [&] {
    return PMPI_Allgatherv(send, send_count, send_type, recv, counts, displacements, recv_type,
                           comm);
  };
  CommState* const state = handled_state(comm);
  const bool in_place = send == MPI_IN_PLACE;
  if (!state || !are_valid(counts, displacements, state->size) || !is_valid(recv, 1, recv_type) ||
      (!in_place && !is_valid(send, send_count, send_type))) {
    return pass(pass_on);
  }
  RankBlocks all(recv, counts, displacements, recv_type, state->size);
  const std::uint64_t total = all.total_bytes();
  if (total == 0 || all.address(state->rank) == send) return pass(pass_on);
  RankBlocks mine = in_place
                        ? RankBlocks(all.address(state->rank), counts[state->rank], recv_type, 1)
                        : RankBlocks(unconst(send), send_count, send_type, 1);
  if (mine.bytes(0) != all.bytes(state->rank)) return pass(pass_on);
  return take_over(
      {Operation::kAllgatherv, comm, state, total / static_cast<std::uint64_t>(state->size)},
      [&](Container& container) {
        return hybrid_allgather(container, comm, Operation::kAllgatherv, mine, all);
      },
      pass_on);
}

int gather(const void* send, int send_count, MPI_Datatype send_type, void* recv, int recv_count,
           MPI_Datatype recv_type, int root, MPI_Comm comm) {
  const auto pass_on = [&] {
    return PMPI_Gather(send, send_count, send_type, recv, recv_count, recv_type, root, comm);
  };
  CommState* const state = handled_state(comm);
  if (!state || root < 0 || root >= state->size) return pass(pass_on);
  const bool is_root = state->rank == root;
  const bool in_place = send == MPI_IN_PLACE;
  if (in_place ? !is_root : !is_valid(send, send_count, send_type)) return pass(pass_on);
  if (is_root && !is_valid(recv, recv_count, recv_type)) return pass(pass_on);
  std::optional<RankBlocks> mine;
  std::optional<RankBlocks> all;
  if (!in_place) mine.emplace(unconst(send), send_count, send_type, 1);
  if (is_root) all.emplace(recv, recv_count, recv_type, state->size);
  if (is_root && all->address(root) == send) return pass(pass_on);
  const std::uint64_t bytes = is_root ? all->bytes(0) : mine->bytes(0);
  if (bytes == 0 || (mine && mine->bytes(0) != bytes)) return pass(pass_on);
  return take_over(
      {Operation::kGather, comm, state, bytes, root},
      [&](Container& container) {
        return hybrid_gather(container, comm, bytes, mine ? &*mine : nullptr, all ? &*all : nullptr,
                             root);
      },
      pass_on);
}

int scatter(const void* send, int send_count, MPI_Datatype send_type, void* recv, int recv_count,
            MPI_Datatype recv_type, int root, MPI_Comm comm) {
  const auto pass_on = [&] {
    return PMPI_Scatter(send, send_count, send_type, recv, recv_count, recv_type, root, comm);
  };
  CommState* const state = handled_state(comm);
  if (!state || root < 0 || root >= state->size) return pass(pass_on);
  const bool is_root = state->rank == root;
  const bool in_place = recv == MPI_IN_PLACE;
  if (in_place ? !is_root : !is_valid(recv, recv_count, recv_type)) return pass(pass_on);
  if (is_root && !is_valid(send, send_count, send_type)) return pass(pass_on);
  std::optional<RankBlocks> mine;
  std::optional<RankBlocks> all;
  if (!in_place) mine.emplace(recv, recv_count, recv_type, 1);
  if (is_root) all.emplace(unconst(send), send_count, send_type, state->size);
  if (is_root && all->address(root) == recv) return pass(pass_on);
  const std::uint64_t bytes = is_root ? all->bytes(0) : mine->bytes(0);
  if (bytes == 0 || (mine && mine->bytes(0) != bytes)) return pass(pass_on);
  return take_over(
      {Operation::kScatter, comm, state, bytes, root},
      [&](Container& container) {
        return hybrid_scatter(container, comm, bytes, all ? &*all : nullptr,
                              mine ? &*mine : nullptr, root, leader_policy());
      },
      pass_on);
}

int alltoall(const void* send, int send_count, MPI_Datatype send_type, void* recv, int recv_count,
             MPI_Datatype recv_type, MPI_Comm comm) {
  const auto pass_on = [&] {
    return PMPI_Alltoall(send, send_count, send_type, recv, recv_count, recv_type, comm);
  };
  CommState* const state = handled_state(comm);
  if (state && is_left_to_library(*state, Operation::kAlltoall, recv_count, recv_type)) {
    return pass(pass_on);
  }
  const bool in_place = send == MPI_IN_PLACE;
  if (!state || recv_count <= 0 || !is_valid(recv, recv_count, recv_type) || send == recv ||
      (!in_place && !is_valid(send, send_count, send_type))) {
    return pass(pass_on);
  }
  RankBlocks taken(recv, recv_count, recv_type, state->size);
  RankBlocks given = in_place ? RankBlocks(recv, recv_count, recv_type, state->size)
                              : RankBlocks(unconst(send), send_count, send_type, state->size);
  if (taken.bytes(0) == 0 || taken.bytes(0) != given.bytes(0)) return pass(pass_on);
  return take_over(
      {Operation::kAlltoall, comm, state, taken.bytes(0)},
      [&](Container& container) { return hybrid_alltoall(container, comm, given, taken); },
      pass_on);
}

}  // namespace mpiactor::interpose
