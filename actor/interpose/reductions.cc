// MPI_Barrier and the reductions.
#include <climits>
#include <vector>

#include "actor/collectives/collectives.h"
#include "actor/interpose/entry.h"
#include "actor/interpose/library_check.h"
#include "actor/interpose/take_over.h"
#include "actor/interpose/vectors.h"
#include "actor/reduction/reduction.h"

namespace mpiactor::interpose {
namespace {

int barrier(MPI_Comm comm) {
  const auto pass_on = [&] { return PMPI_Barrier(comm); };
  const auto run = [&] {
    CommState* const state = handled_state(comm);
    if (!state) return pass(pass_on);
    return take_over(
        CallFacts::barrier(), comm, *state, std::tie(),
        [](Container& container) -> std::optional<int> {
          hybrid_barrier(container);
          return MPI_SUCCESS;
        },
        pass_on);
  };
  return trace::traced(
      "MPI_Barrier", comm, CallFacts::kNoRoot, [](const trace::Span&) { return 0; }, run);
}

template <typename Count>
int reduce(const void* send, void* recv, Count count, MPI_Datatype type, MPI_Op op, int root,
           MPI_Comm comm) {
  const auto pass_on = MPIACTOR_LIBRARY(Count, Reduce, send, recv, count, type, op, root, comm);
  const auto run = [&] {
    CommState* const state = handled_state(comm);
    if (!state || !is_rank(root, *state) || count <= 0) return pass(pass_on);
    const auto reduction = Reduction::find(op, type);
    if (!reduction) return pass(pass_on);
    const bool is_root = state->rank == root;
    if (send == MPI_IN_PLACE && !is_root) return raise(comm, kMisplacedError);
    if (is_vector_refused(send, count, is_root ? recv : nullptr, is_root ? count : 0, type)) {
      return pass(pass_on);
    }
    const Vector vector = make_vector(send, is_root ? recv : nullptr, count);
    return take_over(
        CallFacts::reduce(root, vector.elements * reduction->element_bytes(),
                          reduction->order_matters()),
        comm, *state, std::tie(vector),
        [&](Container& container) -> std::optional<int> {
          hybrid_reduce(container, comm, vector, *reduction, root);
          return MPI_SUCCESS;
        },
        pass_on);
  };
  return trace::traced(
      "MPI_Reduce", comm, root, [&](const trace::Span&) { return traced_bytes(count, type); }, run);
}

template <typename Count>
int allreduce(const void* send, void* recv, Count count, MPI_Datatype type, MPI_Op op,
              MPI_Comm comm) {
  const auto pass_on = MPIACTOR_LIBRARY(Count, Allreduce, send, recv, count, type, op, comm);
  const auto run = [&] {
    CommState* const state = handled_state(comm);
    if (!state || count <= 0) return pass(pass_on);
    const auto reduction = Reduction::find(op, type);
    if (!reduction || is_vector_refused(send, count, recv, count, type)) return pass(pass_on);
    const Vector vector = make_vector(send, recv, count);
    return take_over(
        CallFacts::allreduce(vector.elements * reduction->element_bytes(),
                             reduction->order_matters()),
        comm, *state, std::tie(vector),
        [&](Container& container) -> std::optional<int> {
          hybrid_allreduce(container, comm, vector, *reduction);
          return MPI_SUCCESS;
        },
        pass_on);
  };
  return trace::traced(
      "MPI_Allreduce", comm, CallFacts::kNoRoot,
      [&](const trace::Span&) { return traced_bytes(count, type); }, run);
}

// `first`: of each rank's share of the result, and the end.
template <typename Facts, typename PassOn>
int reduce_scatter_shares(const void* send, void* recv, std::vector<std::uint64_t> first,
                          MPI_Datatype type, MPI_Op op, MPI_Comm comm, CommState& state,
                          Facts facts, PassOn pass_on) {
  constexpr std::uint64_t kMostElements = INT_MAX;
  if (first.empty() || first.back() > kMostElements) return pass(pass_on);
  const auto reduction = Reduction::find(op, type);
  if (!reduction) return pass(pass_on);
  const auto me = static_cast<std::size_t>(state.rank);
  const auto all = static_cast<MPI_Count>(first.back());
  if (is_vector_refused(send, all, recv, static_cast<MPI_Count>(first[me + 1] - first[me]), type)) {
    return pass(pass_on);
  }
  const Vector vector = make_vector(send, recv, all);
  return take_over(
      facts(vector.elements * reduction->element_bytes(), reduction->order_matters()), comm, state,
      std::tie(vector),
      [&](Container& container) {
        return done_if(hybrid_reduce_scatter(container, comm, vector, first, *reduction));
      },
      pass_on);
}

template <typename Count>
int reduce_scatter(const void* send, void* recv, const Count* counts, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm) {
  const auto pass_on = MPIACTOR_LIBRARY(Count, Reduce_scatter, send, recv, counts, type, op, comm);
  const auto run = [&] {
    CommState* const state = handled_state(comm);
    if (!state) return pass(pass_on);
    return reduce_scatter_shares(send, recv, shares_of(counts, state->size), type, op, comm, *state,
                                 &CallFacts::reduce_scatter, pass_on);
  };
  return trace::traced(
      "MPI_Reduce_scatter", comm, CallFacts::kNoRoot,
      [&](const trace::Span& span) { return traced_bytes(sum_of(counts, span.ranks()), type); },
      run);
}

template <typename Count>
int reduce_scatter_block(const void* send, void* recv, Count count, MPI_Datatype type, MPI_Op op,
                         MPI_Comm comm) {
  const auto pass_on =
      MPIACTOR_LIBRARY(Count, Reduce_scatter_block, send, recv, count, type, op, comm);
  const auto run = [&] {
    CommState* const state = handled_state(comm);
    if (!state || count == 0) return pass(pass_on);
    return reduce_scatter_shares(send, recv, equal_shares(count, state->size), type, op, comm,
                                 *state, &CallFacts::reduce_scatter_block, pass_on);
  };
  return trace::traced(
      "MPI_Reduce_scatter_block", comm, CallFacts::kNoRoot,
      [&](const trace::Span& span) {
        return traced_bytes(static_cast<MPI_Count>(count) * span.ranks(), type);
      },
      run);
}

}  // namespace
}  // namespace mpiactor::interpose

MPIACTOR_ENTRY(MPI_Barrier, barrier);
MPIACTOR_ENTRIES(MPI_Reduce, reduce);
MPIACTOR_ENTRIES(MPI_Allreduce, allreduce);
MPIACTOR_ENTRIES(MPI_Reduce_scatter, reduce_scatter);
MPIACTOR_ENTRIES(MPI_Reduce_scatter_block, reduce_scatter_block);
