#include "actor/interpose/block_call.h"

#include "actor/collectives/collectives.h"
#include "actor/interpose/fitted_blocks.h"
#include "actor/interpose/library_check.h"
#include "actor/interpose/take_over.h"

namespace mpiactor::interpose {
namespace {

void* unconst(const void* buffer) { return const_cast<void*>(buffer); }

bool refuses(const Buffer& buffer) { return is_refused(buffer.address, buffer.count, buffer.type); }

// `own`: a rank's own block, beside block `rank` of `all`, which has as many elements.
bool refuses_alias(const Buffer& own, const Buffer& all, int rank) {
  return own.count == all.count && is_alias_refused(own.address, own.count, own.type, all.address,
                                                    all.count, all.count * rank, all.type);
}

void keep(Buffer& buffer, KeptTypes* kept) {
  if (kept) buffer.type = kept->keep(buffer.type);
}

void emplace(std::optional<RankBlocks>& blocks, const Buffer& buffer, int ranks) {
  blocks.emplace(unconst(buffer.address), buffer.count, buffer.type, ranks);
}

}  // namespace

std::optional<BlockCall> BlockCall::allgather(Buffer send, Buffer recv, const CommState& state,
                                              KeptTypes* kept) {
  const bool in_place = send.address == MPI_IN_PLACE;
  if (refuses(recv)) return std::nullopt;
  if (!in_place && (refuses(send) || refuses_alias(send, recv, state.rank))) return std::nullopt;
  keep(recv, kept);
  BlockCall call(state);
  emplace(call.all_, recv, state.size);
  if (in_place) {
    emplace(call.mine_, {call.all_->address(state.rank), recv.count, recv.type}, 1);
  } else {
    keep(send, kept);
    emplace(call.mine_, send, 1);
  }
  call.facts_ = CallFacts::allgather(call.all_->bytes(0));
  return call;
}

std::optional<BlockCall> BlockCall::allgatherv(Buffer send, Buffer recv, CountArray counts,
                                               CountArray displacements, const CommState& state,
                                               KeptTypes* kept) {
  const bool in_place = send.address == MPI_IN_PLACE;
  const int me = state.rank;
  if (are_refused(recv.address, counts, displacements, recv.type, state.size)) return std::nullopt;
  if (!in_place &&
      (refuses(send) || is_alias_refused(send.address, send.count, send.type, recv.address,
                                         counts[me], displacements[me], recv.type))) {
    return std::nullopt;
  }
  keep(recv, kept);
  BlockCall call(state);
  call.all_.emplace(unconst(recv.address), counts, displacements, recv.type, state.size);
  if (in_place) {
    emplace(call.mine_, {call.all_->address(me), counts[me], recv.type}, 1);
  } else {
    keep(send, kept);
    emplace(call.mine_, send, 1);
  }
  call.facts_ = CallFacts::allgatherv(call.all_->total_bytes(), state.size);
  return call;
}

std::optional<BlockCall> BlockCall::alltoall(Buffer send, Buffer recv, const CommState& state,
                                             KeptTypes* kept) {
  const bool in_place = send.address == MPI_IN_PLACE;
  if (refuses(recv) || (!in_place && refuses(send))) return std::nullopt;
  if (!in_place && send.type == recv.type && send.count == recv.count && send.count != 0 &&
      is_alias_refused(send.address, recv.address)) {
    return std::nullopt;
  }
  keep(recv, kept);
  if (!in_place) keep(send, kept);
  BlockCall call(state);
  emplace(call.all_, recv, state.size);
  emplace(call.mine_, in_place ? recv : send, state.size);
  call.facts_ = CallFacts::alltoall(call.all_->bytes(0));
  return call;
}

std::optional<BlockCall> BlockCall::rooted(Buffer own, Buffer all, int root, const CommState& state,
                                           KeptTypes* kept, RootedFacts facts) {
  const bool is_root = state.rank == root;
  const bool in_place = is_in_place(own.address, own.count, is_root);
  if (!is_rank(root, state) || (in_place ? !is_root : refuses(own))) return std::nullopt;
  if (is_root && (refuses(all) || (!in_place && refuses_alias(own, all, root))))
    return std::nullopt;
  BlockCall call(state);
  if (!in_place) {
    keep(own, kept);
    emplace(call.mine_, own, 1);
  }
  if (is_root) {
    keep(all, kept);
    emplace(call.all_, all, state.size);
  }
  call.facts_ = facts(root, is_root ? call.all_->bytes(0) : call.mine_->bytes(0));
  return call;
}

std::optional<BlockCall> BlockCall::gather(Buffer send, Buffer recv, int root,
                                           const CommState& state, KeptTypes* kept) {
  return rooted(send, recv, root, state, kept, &CallFacts::gather);
}

std::optional<BlockCall> BlockCall::scatter(Buffer send, Buffer recv, int root,
                                            const CommState& state, KeptTypes* kept) {
  return rooted(recv, send, root, state, kept, &CallFacts::scatter);
}

std::optional<int> BlockCall::run(Container& container, MPI_Comm comm) {
  switch (facts_.operation()) {
    case Operation::kGather:
      return run_gather(container, comm);
    case Operation::kScatter:
      return run_scatter(container, comm);
    case Operation::kAlltoall: {
      FittedBlocks given(*mine_, all_->bytes(0));
      if (!hybrid_alltoall(container, comm, given.get(), *all_)) return std::nullopt;
      return given.error();
    }
    default: {
      FittedBlocks mine(*mine_, all_->bytes(rank_));
      if (!hybrid_allgather(container, comm, facts_, mine.get(), *all_)) return std::nullopt;
      return mine.error();
    }
  }
}

std::optional<int> BlockCall::run_gather(Container& container, MPI_Comm comm) {
  std::optional<FittedBlocks> fitted;
  if (mine_) fitted.emplace(*mine_, facts_.bytes());
  switch (hybrid_gather(container, comm, facts_.bytes(), fitted ? &fitted->get() : nullptr,
                        all_ ? &*all_ : nullptr, facts_.root())) {
    case VariableOutcome::kNotDone:
      return std::nullopt;
    case VariableOutcome::kTruncated:
      return MPI_ERR_TRUNCATE;
    default:
      return fitted ? fitted->error() : MPI_SUCCESS;
  }
}

std::optional<int> BlockCall::run_scatter(Container& container, MPI_Comm comm) {
  // A wrong program's root has another size for itself than for the others.
  const bool takes_own_alone = all_ && mine_ && mine_->bytes(0) != facts_.bytes();
  const VariableOutcome outcome =
      hybrid_scatter(container, comm, facts_.bytes(), all_ ? &*all_ : nullptr,
                     mine_ && !takes_own_alone ? &*mine_ : nullptr, facts_.root());
  if (outcome == VariableOutcome::kNotDone) return std::nullopt;
  if (outcome == VariableOutcome::kTruncated) return MPI_ERR_TRUNCATE;
  if (!takes_own_alone) return MPI_SUCCESS;
  const bool is_cut_off = copy_what_fits(*all_, facts_.root(), *mine_, 0);
  mine_->finish();
  return is_cut_off ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
}

}  // namespace mpiactor::interpose
