// MPI_Allgather(v), MPI_Gather, MPI_Scatter, MPI_Alltoall.
#include <optional>

#include "actor/collectives/collectives.h"
#include "actor/interpose/entry.h"
#include "actor/interpose/fitted_blocks.h"
#include "actor/interpose/library_check.h"
#include "actor/interpose/take_over.h"

namespace mpiactor::interpose {
namespace {

void* unconst(const void* buffer) { return const_cast<void*>(buffer); }

// Runs an allgather of `mine`, of which all ranks believe that it is all's block `rank`.
auto run_allgather(const CallFacts& call, MPI_Comm comm, RankBlocks& mine, RankBlocks& all,
                   int rank) {
  return [&call, comm, &mine, &all, rank](Container& container) -> std::optional<int> {
    FittedBlocks fitted(mine, all.bytes(rank));
    if (!hybrid_allgather(container, comm, call, fitted.get(), all)) return kNotDone;
    return fitted.error();
  };
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
    const bool in_place = send == MPI_IN_PLACE;
    if (is_refused(recv, recv_count, recv_type) ||
        (!in_place && is_refused(send, send_count, send_type))) {
      return pass(pass_on);
    }
    const MPI_Count begin = static_cast<MPI_Count>(recv_count) * state->rank;
    if (!in_place && send_count == recv_count &&
        is_alias_refused(send, send_count, send_type, recv, recv_count, begin, recv_type)) {
      return pass(pass_on);
    }
    RankBlocks all(recv, recv_count, recv_type, state->size);
    RankBlocks mine = in_place ? RankBlocks(all.address(state->rank), recv_count, recv_type, 1)
                               : RankBlocks(unconst(send), send_count, send_type, 1);
    const CallFacts call = CallFacts::allgather(all.bytes(0));
    return take_over(call, comm, *state, std::tie(mine, all),
                     run_allgather(call, comm, mine, all, state->rank), pass_on);
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
    const bool in_place = send == MPI_IN_PLACE;
    if (!state ||
        are_refused(recv, CountArray(counts), CountArray(displacements), recv_type, state->size) ||
        (!in_place && is_refused(send, send_count, send_type))) {
      return pass(pass_on);
    }
    const int me = state->rank;
    if (!in_place && is_alias_refused(send, send_count, send_type, recv, counts[me],
                                      displacements[me], recv_type)) {
      return pass(pass_on);
    }
    RankBlocks all(recv, CountArray(counts), CountArray(displacements), recv_type, state->size);
    RankBlocks mine = in_place ? RankBlocks(all.address(me), counts[me], recv_type, 1)
                               : RankBlocks(unconst(send), send_count, send_type, 1);
    const CallFacts call = CallFacts::allgatherv(all.total_bytes(), state->size);
    return take_over(call, comm, *state, std::tie(mine, all),
                     run_allgather(call, comm, mine, all, me), pass_on);
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
    const bool in_place = send == MPI_IN_PLACE;
    if (in_place && !is_root) return raise(comm, kMisplacedError);
    if (!in_place && is_refused(send, send_count, send_type)) return pass(pass_on);
    if (is_root && is_refused(recv, recv_count, recv_type)) return pass(pass_on);
    const MPI_Count begin = static_cast<MPI_Count>(recv_count) * root;
    if (is_root && !in_place && send_count == recv_count &&
        is_alias_refused(send, send_count, send_type, recv, recv_count, begin, recv_type)) {
      return pass(pass_on);
    }
    std::optional<RankBlocks> mine;
    std::optional<RankBlocks> all;
    if (!in_place) mine.emplace(unconst(send), send_count, send_type, 1);
    if (is_root) all.emplace(recv, recv_count, recv_type, state->size);
    const std::uint64_t bytes = is_root ? all->bytes(0) : mine->bytes(0);
    return take_over(
        CallFacts::gather(root, bytes), comm, *state, std::tie(mine, all),
        [&](Container& container) -> std::optional<int> {
          std::optional<FittedBlocks> fitted;
          if (mine) fitted.emplace(*mine, bytes);
          const VariableOutcome outcome =
              hybrid_gather(container, comm, bytes, fitted ? &fitted->get() : nullptr,
                            all ? &*all : nullptr, root);
          if (outcome == VariableOutcome::kNotDone) return kNotDone;
          if (outcome == VariableOutcome::kTruncated) return MPI_ERR_TRUNCATE;
          return fitted ? fitted->error() : MPI_SUCCESS;
        },
        pass_on);
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
    const bool in_place = recv == MPI_IN_PLACE;
    if (in_place && !is_root) return raise(comm, kMisplacedError);
    if (is_root && is_refused(send, send_count, send_type)) return pass(pass_on);
    if (!in_place && is_refused(recv, recv_count, recv_type)) return pass(pass_on);
    const MPI_Count begin = static_cast<MPI_Count>(send_count) * root;
    if (is_root && !in_place && send_count == recv_count &&
        is_alias_refused(recv, recv_count, recv_type, send, send_count, begin, send_type)) {
      return pass(pass_on);
    }
    std::optional<RankBlocks> mine;
    std::optional<RankBlocks> all;
    if (!in_place) mine.emplace(recv, recv_count, recv_type, 1);
    if (is_root) all.emplace(unconst(send), send_count, send_type, state->size);
    const std::uint64_t bytes = is_root ? all->bytes(0) : mine->bytes(0);
    return take_over(
        CallFacts::scatter(root, bytes), comm, *state, std::tie(mine, all),
        [&](Container& container) -> std::optional<int> {
          // A wrong program's root has another size for itself than for the others.
          const bool takes_own_alone = is_root && mine && mine->bytes(0) != bytes;
          RankBlocks* const taken = mine && !takes_own_alone ? &*mine : nullptr;
          const VariableOutcome outcome =
              hybrid_scatter(container, comm, bytes, all ? &*all : nullptr, taken, root);
          if (outcome == VariableOutcome::kNotDone) return kNotDone;
          if (outcome == VariableOutcome::kTruncated) return MPI_ERR_TRUNCATE;
          if (!takes_own_alone) return MPI_SUCCESS;
          const bool is_cut_off = copy_what_fits(*all, root, *mine, 0);
          mine->finish();
          return is_cut_off ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
        },
        pass_on);
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
    const bool in_place = send == MPI_IN_PLACE;
    if (is_refused(recv, recv_count, recv_type) ||
        (!in_place && is_refused(send, send_count, send_type))) {
      return pass(pass_on);
    }
    if (!in_place && send_type == recv_type && send_count == recv_count && send_count != 0 &&
        is_alias_refused(send, recv)) {
      return pass(pass_on);
    }
    RankBlocks taken(recv, recv_count, recv_type, state->size);
    RankBlocks given = in_place ? RankBlocks(recv, recv_count, recv_type, state->size)
                                : RankBlocks(unconst(send), send_count, send_type, state->size);
    return take_over(
        CallFacts::alltoall(taken.bytes(0)), comm, *state, std::tie(given, taken),
        [&](Container& container) -> std::optional<int> {
          FittedBlocks fitted(given, taken.bytes(0));
          if (!hybrid_alltoall(container, comm, fitted.get(), taken)) return kNotDone;
          return fitted.error();
        },
        pass_on);
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
