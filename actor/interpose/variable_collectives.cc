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

// A gatherv or scatterv: what each rank gives or takes (own), and what the root takes or gives
// (all).
template <typename Count, typename PassOn, typename Hybrid>
int rooted(const char* name, CallFacts facts, const void* own, Count own_count,
           MPI_Datatype own_type, const void* all, const Count* counts,
           const Displacement<Count>* displacements, MPI_Datatype all_type, int root, MPI_Comm comm,
           PassOn pass_on, Hybrid hybrid) {
  const auto run = [&] {
    CommState* const state = handled_state(comm);
    if (!state || !is_rank(root, *state)) return pass(pass_on);
    const bool is_root = state->rank == root;
    const bool in_place = is_in_place(own, own_count, is_root);
    if (in_place && !is_root) return raise(comm, kMisplacedError);
    if (!in_place && is_refused(own, own_count, own_type)) return pass(pass_on);
    if (is_root &&
        (are_refused(all, CountArray(counts), CountArray(displacements), all_type, state->size) ||
         (!in_place && is_alias_refused(own, own_count, own_type, all, counts[root],
                                        displacements[root], all_type)))) {
      return pass(pass_on);
    }
    std::optional<RankBlocks> own_block;
    std::optional<RankBlocks> all_blocks;
    if (!in_place) own_block.emplace(unconst(own), own_count, own_type, 1);
    if (is_root) {
      all_blocks.emplace(unconst(all), CountArray(counts), CountArray(displacements), all_type,
                         state->size);
    }
    return take_over(
        facts, comm, *state, std::tie(own_block, all_blocks),
        [&](Container& container) {
          return error_class(hybrid(container, own_block ? &*own_block : nullptr,
                                    all_blocks ? &*all_blocks : nullptr));
        },
        pass_on);
  };
  return trace::traced(
      name, comm, root,
      // Bytes of the rank's own; the root: the average of all.
      [&](const trace::Span& span) {
        return span.is_root() ? traced_average_bytes(counts, all_type, span)
                              : traced_bytes(own_count, own_type);
      },
      run);
}

template <typename Count>
int gatherv(const void* send, Count send_count, MPI_Datatype send_type, void* recv,
            const Count* counts, const Displacement<Count>* displacements, MPI_Datatype recv_type,
            int root, MPI_Comm comm) {
  return rooted("MPI_Gatherv", CallFacts::gatherv(root), send, send_count, send_type, recv, counts,
                displacements, recv_type, root, comm,
                MPIACTOR_LIBRARY(Count, Gatherv, send, send_count, send_type, recv, counts,
                                 displacements, recv_type, root, comm),
                [&](Container& container, RankBlocks* mine, RankBlocks* all) {
                  return hybrid_gatherv(CallFacts::gatherv(root), container, comm, mine, all);
                });
}

template <typename Count>
int scatterv(const void* send, const Count* counts, const Displacement<Count>* displacements,
             MPI_Datatype send_type, void* recv, Count recv_count, MPI_Datatype recv_type, int root,
             MPI_Comm comm) {
  return rooted("MPI_Scatterv", CallFacts::scatterv(root), recv, recv_count, recv_type, send,
                counts, displacements, send_type, root, comm,
                MPIACTOR_LIBRARY(Count, Scatterv, send, counts, displacements, send_type, recv,
                                 recv_count, recv_type, root, comm),
                [&](Container& container, RankBlocks* mine, RankBlocks* all) {
                  return hybrid_scatterv(container, comm, all, mine, root);
                });
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
