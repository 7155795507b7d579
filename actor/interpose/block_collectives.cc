// MPI_Allgather(v), MPI_Gather, MPI_Scatter, MPI_Alltoall.
#include <optional>

#include "actor/interpose/block_call.h"
#include "actor/interpose/entry.h"
#include "actor/interpose/library_check.h"
#include "actor/interpose/take_over.h"

namespace mpiactor::interpose {
namespace {

// A call that the MPI library refuses is `nothing`.
template <typename PassOn>
int run_blocks(std::optional<BlockCall> call, MPI_Comm comm, CommState& state, PassOn pass_on) {
  if (!call) return pass(pass_on);
  return take_over(
      call->facts(), comm, state, call->buffers(),
      [&](Container& container) { return call->run(container, comm); }, pass_on);
}

template <typename Count>
int allgather(const void* send, Count send_count, MPI_Datatype send_type, void* recv,
              Count recv_count, MPI_Datatype recv_type, MPI_Comm comm) {
  const auto pass_on = MPIACTOR_LIBRARY(Count, Allgather, send, send_count, send_type, recv,
                                        recv_count, recv_type, comm);
  const auto run = [&] {
    CommState* const state = handled_state(comm);
    if (!state || is_left_to_library(*state, recv_count, recv_type, &CallFacts::allgather)) {
      return pass(pass_on);
    }
    return run_blocks(
        BlockCall::allgather({send, send_count, send_type}, {recv, recv_count, recv_type}, *state),
        comm, *state, pass_on);
  };
  return trace::traced(
      "MPI_Allgather", comm, CallFacts::kNoRoot,
      [&](const trace::Span&) { return traced_bytes(recv_count, recv_type); }, run);
}

template <typename Count>
int allgatherv(const void* send, Count send_count, MPI_Datatype send_type, void* recv,
               const Count* counts, const Displacement<Count>* displacements,
               MPI_Datatype recv_type, MPI_Comm comm) {
  const auto pass_on = MPIACTOR_LIBRARY(Count, Allgatherv, send, send_count, send_type, recv,
                                        counts, displacements, recv_type, comm);
  const auto run = [&] {
    CommState* const state = handled_state(comm);
    if (!state) return pass(pass_on);
    return run_blocks(BlockCall::allgatherv({send, send_count, send_type}, {recv, 0, recv_type},
                                            CountArray(counts), CountArray(displacements), *state),
                      comm, *state, pass_on);
  };
  return trace::traced(
      "MPI_Allgatherv", comm, CallFacts::kNoRoot,
      // Bytes that the rank itself gives.
      [&](const trace::Span& span) { return traced_bytes(counts[span.rank()], recv_type); }, run);
}

template <typename Count>
int gather(const void* send, Count send_count, MPI_Datatype send_type, void* recv, Count recv_count,
           MPI_Datatype recv_type, int root, MPI_Comm comm) {
  const auto pass_on = MPIACTOR_LIBRARY(Count, Gather, send, send_count, send_type, recv,
                                        recv_count, recv_type, root, comm);
  const auto run = [&] {
    CommState* const state = handled_state(comm);
    if (!state || !is_rank(root, *state)) return pass(pass_on);
    const bool is_root = state->rank == root;
    if (is_in_place(send, send_count, is_root) && !is_root) return raise(comm, kMisplacedError);
    return run_blocks(BlockCall::gather({send, send_count, send_type},
                                        {recv, recv_count, recv_type}, root, *state),
                      comm, *state, pass_on);
  };
  return trace::traced(
      "MPI_Gather", comm, root,
      [&](const trace::Span& span) {
        return span.is_root() ? traced_bytes(recv_count, recv_type)
                              : traced_bytes(send_count, send_type);
      },
      run);
}

template <typename Count>
int scatter(const void* send, Count send_count, MPI_Datatype send_type, void* recv,
            Count recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm) {
  const auto pass_on = MPIACTOR_LIBRARY(Count, Scatter, send, send_count, send_type, recv,
                                        recv_count, recv_type, root, comm);
  const auto run = [&] {
    CommState* const state = handled_state(comm);
    if (!state || !is_rank(root, *state)) return pass(pass_on);
    const bool is_root = state->rank == root;
    if (is_in_place(recv, recv_count, is_root) && !is_root) return raise(comm, kMisplacedError);
    return run_blocks(BlockCall::scatter({send, send_count, send_type},
                                         {recv, recv_count, recv_type}, root, *state),
                      comm, *state, pass_on);
  };
  return trace::traced(
      "MPI_Scatter", comm, root,
      [&](const trace::Span& span) {
        return span.is_root() ? traced_bytes(send_count, send_type)
                              : traced_bytes(recv_count, recv_type);
      },
      run);
}

template <typename Count>
int alltoall(const void* send, Count send_count, MPI_Datatype send_type, void* recv,
             Count recv_count, MPI_Datatype recv_type, MPI_Comm comm) {
  const auto pass_on = MPIACTOR_LIBRARY(Count, Alltoall, send, send_count, send_type, recv,
                                        recv_count, recv_type, comm);
  const auto run = [&] {
    CommState* const state = handled_state(comm);
    if (!state || is_left_to_library(*state, recv_count, recv_type, &CallFacts::alltoall)) {
      return pass(pass_on);
    }
    return run_blocks(
        BlockCall::alltoall({send, send_count, send_type}, {recv, recv_count, recv_type}, *state),
        comm, *state, pass_on);
  };
  return trace::traced(
      "MPI_Alltoall", comm, CallFacts::kNoRoot,
      [&](const trace::Span&) { return traced_bytes(recv_count, recv_type); }, run);
}

}  // namespace
}  // namespace mpiactor::interpose

MPIACTOR_ENTRIES(MPI_Allgather, allgather);
MPIACTOR_ENTRIES(MPI_Allgatherv, allgatherv);
MPIACTOR_ENTRIES(MPI_Gather, gather);
MPIACTOR_ENTRIES(MPI_Scatter, scatter);
MPIACTOR_ENTRIES(MPI_Alltoall, alltoall);
