// MPI_Barrier and the reductions.
#include <numeric>
#include <vector>

#include "actor/collectives/hybrid.h"
#include "actor/interpose/arguments.h"
#include "actor/interpose/interpose.h"
#include "actor/interpose/take_over.h"
#include "actor/interpose/vector_argument.h"
#include "actor/reduction/reduction.h"

namespace mpiactor::interpose {
namespace {

int reduce_scatter_shares(const Call& call, const Vector& vector, std::vector<std::uint64_t> first,
                          const Reduction& reduction, auto pass_on) {
  return take_over(
      call,
      [&](Container& container) {
        return hybrid_reduce_scatter(container, call.comm, vector, first, reduction);
      },
      pass_on);
}

}  // namespace

int barrier(MPI_Comm comm) {
  const auto pass_on = [&] { return PMPI_Barrier(comm); };
  CommState* const state = handled_state(comm);
  if (!state) return pass(pass_on);
  return take_over(
      {Operation::kBarrier, comm, state},
      [](Container& container) { return hybrid_barrier(container), true; }, pass_on);
}

int reduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, int root,
           MPI_Comm comm) {
  const auto pass_on = [&] { return PMPI_Reduce(send, recv, count, type, op, root, comm); };
  CommState* const state = handled_state(comm);
  if (!state || root < 0 || root >= state->size) return pass(pass_on);
  const auto reduction = Reduction::find(op, type);
  if (!reduction) return pass(pass_on);
  const auto vector = make_vector(send, recv, count, count, type, state->rank == root);
  if (!vector) return pass(pass_on);
  const std::uint64_t bytes = vector->elements * reduction->element_bytes();
  return take_over(
      {Operation::kReduce, comm, state, bytes, root},
      [&](Container& container) {
        hybrid_reduce(container, comm, *vector, *reduction, root);
        return true;
      },
      pass_on);
}

int allreduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
              MPI_Comm comm) {
  const auto pass_on = [&] { return PMPI_Allreduce(send, recv, count, type, op, comm); };
  CommState* const state = handled_state(comm);
  if (!state) return pass(pass_on);
  const auto reduction = Reduction::find(op, type);
  if (!reduction) return pass(pass_on);
  const auto vector = make_vector(send, recv, count, count, type, true);
  if (!vector) return pass(pass_on);
  const std::uint64_t bytes = vector->elements * reduction->element_bytes();
  return take_over(
      {Operation::kAllreduce, comm, state, bytes},
      [&](Container& container) {
        hybrid_allreduce(container, comm, *vector, *reduction);
        return true;
      },
      pass_on);
}

int reduce_scatter(const void* send, void* recv, const int* counts, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm) {
  const auto pass_on = [&] { return PMPI_Reduce_scatter(send, recv, counts, type, op, comm); };
  CommState* const state = handled_state(comm);
  if (!state || !are_valid(counts, counts, state->size)) return pass(pass_on);
  const auto reduction = Reduction::find(op, type);
  if (!reduction) return pass(pass_on);
  std::vector<std::uint64_t> first(static_cast<std::size_t>(state->size) + 1);
  for (std::size_t r = 0; r + 1 < first.size(); ++r) {
    first[r + 1] = first[r] + static_cast<std::uint64_t>(counts[r]);
  }
  if (first.back() > 0x7fffffff) return pass(pass_on);
  const auto vector =
      make_vector(send, recv, static_cast<int>(first.back()), counts[state->rank], type, true);
  if (!vector) return pass(pass_on);
  const std::uint64_t bytes = vector->elements * reduction->element_bytes();
  return reduce_scatter_shares({Operation::kReduceScatter, comm, state, bytes}, *vector,
                               std::move(first), *reduction, pass_on);
}

int reduce_scatter_block(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                         MPI_Comm comm) {
  const auto pass_on = [&] { return PMPI_Reduce_scatter_block(send, recv, count, type, op, comm); };
  CommState* const state = handled_state(comm);
  if (!state || count <= 0 || count > 0x7fffffff / state->size) return pass(pass_on);
  const auto reduction = Reduction::find(op, type);
  if (!reduction) return pass(pass_on);
  const auto vector = make_vector(send, recv, count * state->size, count, type, true);
  if (!vector) return pass(pass_on);
  std::vector<std::uint64_t> first(static_cast<std::size_t>(state->size) + 1);
  for (std::size_t r = 0; r < first.size(); ++r) first[r] = r * static_cast<std::uint64_t>(count);
  const std::uint64_t bytes = vector->elements * reduction->element_bytes();
  return reduce_scatter_shares({Operation::kReduceScatterBlock, comm, state, bytes}, *vector,
                               std::move(first), *reduction, pass_on);
}

}  // namespace mpiactor::interpose
