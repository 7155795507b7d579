// MPI_Gatherv, MPI_Scatterv, MPI_Alltoallv: no rank but the root knows all sizes, so whether a call
// is handled must not depend on them.
#include <optional>

#include "actor/collectives/collectives.h"
#include "actor/interpose/entry.h"
#include "actor/interpose/library_check.h"
#include "actor/interpose/take_over.h"

namespace mpiactor::interpose {
namespace {

void* unconst(const void* buffer) { return const_cast<void*>(buffer); }

std::optional<int> error_class(VariableOutcome outcome) {
  switch (outcome) {
    case VariableOutcome::kNotDone:
      return kNotDone;
    case VariableOutcome::kTruncated:
      return MPI_ERR_TRUNCATE;
    default:
      return MPI_SUCCESS;
  }
}

template <typename Count>
int gatherv(const void* send, Count send_count, MPI_Datatype send_type, void* recv,
            const Count* counts, const Displacement<Count>* displacements, MPI_Datatype recv_type,
            int root, MPI_Comm comm) {
  const auto pass_on = MPIACTOR_LIBRARY(Count, Gatherv, send, send_count, send_type, recv, counts,
                                        displacements, recv_type, root, comm);
  const auto run = [&] {
    CommState* const state = handled_state(comm);
    if (!state || !is_rank(root, *state)) return pass(pass_on);
    const bool is_root = state->rank == root;
    const bool in_place = is_in_place(send, send_count, is_root);
    if (in_place && !is_root) return raise(comm, kMisplacedError);
    if (!in_place && is_refused(send, send_count, send_type)) return pass(pass_on);
    if (is_root &&
        (are_refused(recv, CountArray(counts), CountArray(displacements), recv_type, state->size) ||
         (!in_place && is_alias_refused(send, send_count, send_type, recv, counts[root],
                                        displacements[root], recv_type)))) {
      return pass(pass_on);
    }
    std::optional<RankBlocks> mine;
    std::optional<RankBlocks> all;
    if (!in_place) mine.emplace(unconst(send), send_count, send_type, 1);
    if (is_root) {
      all.emplace(recv, CountArray(counts), CountArray(displacements), recv_type, state->size);
    }
    return take_over(
        CallFacts::gatherv(root), comm, *state, std::tie(mine, all),
        [&](Container& container) {
          return error_class(hybrid_gatherv(container, comm, mine ? &*mine : nullptr,
                                            all ? &*all : nullptr, root));
        },
        pass_on);
  };
  return trace::traced(
      "MPI_Gatherv", comm, root,
      // Bytes that the rank itself gives; the root: the average of what it takes.
      [&](const trace::Span& span) {
        return span.is_root() ? traced_average_bytes(counts, recv_type, span)
                              : traced_bytes(send_count, send_type);
      },
      run);
}

template <typename Count>
int scatterv(const void* send, const Count* counts, const Displacement<Count>* displacements,
             MPI_Datatype send_type, void* recv, Count recv_count, MPI_Datatype recv_type, int root,
             MPI_Comm comm) {
  const auto pass_on = MPIACTOR_LIBRARY(Count, Scatterv, send, counts, displacements, send_type,
                                        recv, recv_count, recv_type, root, comm);
  const auto run = [&] {
    CommState* const state = handled_state(comm);
    if (!state || !is_rank(root, *state)) return pass(pass_on);
    const bool is_root = state->rank == root;
    const bool in_place = is_in_place(recv, recv_count, is_root);
    if (in_place && !is_root) return raise(comm, kMisplacedError);
    if (!in_place && is_refused(recv, recv_count, recv_type)) return pass(pass_on);
    if (is_root &&
        (are_refused(send, CountArray(counts), CountArray(displacements), send_type, state->size) ||
         (!in_place && is_alias_refused(recv, recv_count, recv_type, send, counts[root],
                                        displacements[root], send_type)))) {
      return pass(pass_on);
    }
    std::optional<RankBlocks> mine;
    std::optional<RankBlocks> all;
    if (!in_place) mine.emplace(recv, recv_count, recv_type, 1);
    if (is_root) {
      all.emplace(unconst(send), CountArray(counts), CountArray(displacements), send_type,
                  state->size);
    }
    return take_over(
        CallFacts::scatterv(root), comm, *state, std::tie(mine, all),
        [&](Container& container) {
          return error_class(hybrid_scatterv(container, comm, all ? &*all : nullptr,
                                             mine ? &*mine : nullptr, root));
        },
        pass_on);
  };
  return trace::traced(
      "MPI_Scatterv", comm, root,
      // Bytes that the rank itself takes; the root: the average of what it gives.
      [&](const trace::Span& span) {
        return span.is_root() ? traced_average_bytes(counts, send_type, span)
                              : traced_bytes(recv_count, recv_type);
      },
      run);
}

template <typename Count>
int alltoallv(const void* send, const Count* send_counts,
              const Displacement<Count>* send_displacements, MPI_Datatype send_type, void* recv,
              const Count* recv_counts, const Displacement<Count>* recv_displacements,
              MPI_Datatype recv_type, MPI_Comm comm) {
  const auto pass_on =
      MPIACTOR_LIBRARY(Count, Alltoallv, send, send_counts, send_displacements, send_type, recv,
                       recv_counts, recv_displacements, recv_type, comm);
  const auto run = [&] {
    CommState* const state = handled_state(comm);
    if (!state) return pass(pass_on);
    const bool in_place = send == MPI_IN_PLACE;
    const CountArray gives(send_counts), gives_at(send_displacements);
    const CountArray takes(recv_counts), takes_at(recv_displacements);
    const int ranks = state->size;
    if (are_refused(recv, takes, takes_at, recv_type, ranks) ||
        (!in_place && are_refused(send, gives, gives_at, send_type, ranks))) {
      return pass(pass_on);
    }
    if (!in_place && send_type == recv_type && send_counts == recv_counts &&
        is_alias_refused(send, recv)) {
      return pass(pass_on);
    }
    RankBlocks taken(recv, takes, takes_at, recv_type, ranks);
    RankBlocks given =
        in_place ? taken : RankBlocks(unconst(send), gives, gives_at, send_type, ranks);
    return take_over(
        CallFacts::alltoallv(), comm, *state, std::tie(given, taken),
        [&](Container& container) {
          return error_class(hybrid_alltoallv(container, comm, given, taken));
        },
        pass_on);
  };
  return trace::traced(
      "MPI_Alltoallv", comm, CallFacts::kNoRoot,
      [&](const trace::Span& span) { return traced_average_bytes(recv_counts, recv_type, span); },
      run);
}

}  // namespace
}  // namespace mpiactor::interpose

MPIACTOR_ENTRIES(MPI_Gatherv, gatherv);
MPIACTOR_ENTRIES(MPI_Scatterv, scatterv);
MPIACTOR_ENTRIES(MPI_Alltoallv, alltoallv);
