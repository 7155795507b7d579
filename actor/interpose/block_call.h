// Allgather(v), alltoall, gather and scatter: what the blocking, nonblocking and persistent forms
// of one have in common, which is all but when they run.
#ifndef MPIACTOR_ACTOR_INTERPOSE_BLOCK_CALL_H_
#define MPIACTOR_ACTOR_INTERPOSE_BLOCK_CALL_H_

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <tuple>

#include "actor/buffers/rank_blocks.h"
#include "actor/collectives/call_facts.h"
#include "actor/container/container.h"
#include "actor/container/registry.h"
#include "actor/interpose/kept_types.h"

namespace mpiactor::interpose {

// What a rank sends, or receives: `count` elements of `type`; where there is a block for each rank,
// in each of them.
struct Buffer {
  const void* address;
  MPI_Count count;
  MPI_Datatype type;
};

class BlockCall {
 public:
  // The arguments as a call on the communicator of `state`; nothing where the MPI library refuses
  // them on this rank without communicating. Where `kept` is given it keeps the datatypes as long
  // as it lives.
  static std::optional<BlockCall> allgather(Buffer send, Buffer recv, const CommState& state,
                                            KeptTypes* kept = nullptr);
  // recv.count does not count.
  static std::optional<BlockCall> allgatherv(Buffer send, Buffer recv, CountArray counts,
                                             CountArray displacements, const CommState& state,
                                             KeptTypes* kept = nullptr);
  static std::optional<BlockCall> alltoall(Buffer send, Buffer recv, const CommState& state,
                                           KeptTypes* kept = nullptr);
  static std::optional<BlockCall> gather(Buffer send, Buffer recv, int root, const CommState& state,
                                         KeptTypes* kept = nullptr);
  static std::optional<BlockCall> scatter(Buffer send, Buffer recv, int root,
                                          const CommState& state, KeptTypes* kept = nullptr);

  const CallFacts& facts() const { return facts_; }
  auto buffers() { return std::tie(mine_, all_); }
  // Once. Returns this rank's error class; nothing where nothing was done, on any rank.
  std::optional<int> run(Container& container, MPI_Comm comm);

 private:
  BlockCall(const CommState& state) : rank_(state.rank) {}

  // `own`: of one block; `all`: of one for each rank, at the root.
  using RootedFacts = CallFacts (*)(int root, std::uint64_t block_bytes);
  static std::optional<BlockCall> rooted(Buffer own, Buffer all, int root, const CommState& state,
                                         KeptTypes* kept, RootedFacts facts);
  std::optional<int> run_gather(Container& container, MPI_Comm comm);
  std::optional<int> run_scatter(Container& container, MPI_Comm comm);

  CallFacts facts_ = CallFacts::barrier();
  int rank_;
  // This rank's own block; of an alltoall, those that it gives. Nothing: it is in place.
  std::optional<RankBlocks> mine_;
  // One for each rank; of a gather or scatter, at the root alone.
  std::optional<RankBlocks> all_;
};

}  // namespace mpiactor::interpose

#endif  // MPIACTOR_ACTOR_INTERPOSE_BLOCK_CALL_H_
