// MPI_Gatherv, MPI_Scatterv, MPI_Alltoallv: no rank but the root knows all sizes, so whether a call
// is handled must not depend on them.
#include <algorithm>
#include <optional>

#include "actor/collectives/hybrid.h"
#include "actor/interpose/arguments.h"
#include "actor/interpose/interpose.h"
#include "actor/interpose/take_over.h"

namespace mpiactor::interpose {
namespace {

void* unconst(const void* buffer) { return const_cast<void*>(buffer); }

// A buffer of one block for each rank. It is not looked at where all blocks are empty.
bool are_valid_blocks(const void* buffer, const int* counts, const int* displacements,
                      MPI_Datatype type, int ranks) {
  if (!are_valid(counts, displacements, ranks)) return false;
  const bool any = std::any_of(counts, counts + ranks, [](int count) { return count != 0; });
  return is_valid(buffer, any ? 1 : 0, type);
}

// What the MPI library calls aliased: one type, something in it, one address.
bool is_aliased(const RankBlocks& one, int block, MPI_Datatype one_type, const RankBlocks& other,
                MPI_Datatype other_type) {
  return one_type == other_type && one.bytes(block) != 0 && other.bytes(0) != 0 &&
         one.address(block) == other.address(0);
}

template <typename Run, typename PassOn>
int take_over_variable(const Call& call, Run run, PassOn pass_on) {
  VariableOutcome outcome = VariableOutcome::kNotDone;
  const int error = take_over(
      call,
      [&](Container& container) {
        outcome = run(container);
        return outcome != VariableOutcome::kNotDone;
      },
      pass_on);
  return outcome == VariableOutcome::kTruncated ? raise(call.comm, MPI_ERR_TRUNCATE) : error;
}

}  // namespace

int gatherv(const void* send, int send_count, MPI_Datatype send_type, void* recv, const int* counts,
            const int* displacements, MPI_Datatype recv_type, int root, MPI_Comm comm) {
  const auto pass_on = [&] {
    return PMPI_Gatherv(send, send_count, send_type, recv, counts, displacements, recv_type, root,
                        comm);
  };
  CommState* const state = handled_state(comm);
  if (!state || root < 0 || root >= state->size) return pass(pass_on);
  const bool is_root = state->rank == root;
  const bool in_place = send == MPI_IN_PLACE;
  if (in_place ? !is_root : !is_valid(send, send_count, send_type)) return pass(pass_on);
  if (is_root && !are_valid_blocks(recv, counts, displacements, recv_type, state->size)) {
    return pass(pass_on);
  }
  std::optional<RankBlocks> mine;
  std::optional<RankBlocks> all;
  if (!in_place) mine.emplace(unconst(send), send_count, send_type, 1);
  if (is_root) all.emplace(recv, counts, displacements, recv_type, state->size);
  if (is_root && mine && is_aliased(*all, root, recv_type, *mine, send_type)) return pass(pass_on);
  return take_over_variable(
      {Operation::kGatherv, comm, state, 0, root},
      [&](Container& container) {
        return hybrid_gatherv(container, comm, mine ? &*mine : nullptr, all ? &*all : nullptr,
                              root);
      },
      pass_on);
}

int scatterv(const void* send, const int* counts, const int* displacements, MPI_Datatype send_type,
             void* recv, int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm) {
  const auto pass_on = [&] {
    return PMPI_Scatterv(send, counts, displacements, send_type, recv, recv_count, recv_type, root,
                         comm);
  };
  CommState* const state = handled_state(comm);
  if (!state || root < 0 || root >= state->size) return pass(pass_on);
  const bool is_root = state->rank == root;
  const bool in_place = recv == MPI_IN_PLACE;
  if (in_place ? !is_root : !is_valid(recv, recv_count, recv_type)) return pass(pass_on);
  if (is_root && !are_valid_blocks(send, counts, displacements, send_type, state->size)) {
    return pass(pass_on);
  }
  std::optional<RankBlocks> mine;
  std::optional<RankBlocks> all;
  if (!in_place) mine.emplace(recv, recv_count, recv_type, 1);
  if (is_root) all.emplace(unconst(send), counts, displacements, send_type, state->size);
  if (is_root && mine && is_aliased(*all, root, send_type, *mine, recv_type)) return pass(pass_on);
  return take_over_variable(
      {Operation::kScatterv, comm, state, 0, root},
      [&](Container& container) {
        return hybrid_scatterv(container, comm, all ? &*all : nullptr, mine ? &*mine : nullptr,
                               root, leader_policy());
      },
      pass_on);
}

int alltoallv(const void* send, const int* send_counts, const int* send_displacements,
              MPI_Datatype send_type, void* recv, const int* recv_counts,
              const int* recv_displacements, MPI_Datatype recv_type, MPI_Comm comm) {
  const auto pass_on = [&] {
    return PMPI_Alltoallv(send, send_counts, send_displacements, send_type, recv, recv_counts,
                          recv_displacements, recv_type, comm);
  };
  CommState* const state = handled_state(comm);
  if (!state) return pass(pass_on);
  const bool in_place = send == MPI_IN_PLACE;
  const int ranks = state->size;
  if (!are_valid_blocks(recv, recv_counts, recv_displacements, recv_type, ranks) ||
      (!in_place && !are_valid_blocks(send, send_counts, send_displacements, send_type, ranks))) {
    return pass(pass_on);
  }
  RankBlocks taken(recv, recv_counts, recv_displacements, recv_type, ranks);
  RankBlocks given =
      in_place ? taken
               : RankBlocks(unconst(send), send_counts, send_displacements, send_type, ranks);
  if (send == recv && send_type == recv_type && given.total_bytes() != 0 &&
      taken.total_bytes() != 0) {
    return pass(pass_on);
  }
  return take_over_variable(
      {Operation::kAlltoallv, comm, state},
      [&](Container& container) { return hybrid_alltoallv(container, comm, given, taken); },
      pass_on);
}

}  // namespace mpiactor::interpose
