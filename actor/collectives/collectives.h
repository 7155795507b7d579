// The hybrid collectives but broadcast (bcast.h): shared memory inside a node, plans between nodes.
//
// Collective over the container's communicator, with arguments that were found valid. Every rank
// takes the same path: sizes are those that MPI makes equal on all ranks. `comm`: the communicator
// that the container belongs to. Errors of the MPI library between nodes are thrown
// (std::runtime_error).
#ifndef MPIACTOR_ACTOR_COLLECTIVES_COLLECTIVES_H_
#define MPIACTOR_ACTOR_COLLECTIVES_COLLECTIVES_H_

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "actor/between/request_leaders.h"
#include "actor/buffers/rank_blocks.h"
#include "actor/collectives/call_facts.h"
#include "actor/container/container.h"
#include "actor/reduction/reduction.h"

namespace mpiactor {

void hybrid_barrier(Container& container);

// A vector on every rank. `send` may be `recv` (in place).
struct Vector {
  const std::byte* send = nullptr;
  std::byte* recv = nullptr;
  std::uint64_t elements = 0;  // > 0
};

// Results are the same bits on every rank, whoever arrives first.
void hybrid_allreduce(Container& container, MPI_Comm comm, const Vector& vector,
                      const Reduction& reduction);
// `vector.recv` is used on `root` alone.
void hybrid_reduce(Container& container, MPI_Comm comm, const Vector& vector,
                   const Reduction& reduction, int root);
// Rank r gets elements [first[r], first[r + 1]) of the result in `vector.recv`; vector.elements is
// first[ranks]. False: nothing was done, on any rank, since there are too many ranks for the
// memory.
bool hybrid_reduce_scatter(Container& container, MPI_Comm comm, const Vector& vector,
                           std::span<const std::uint64_t> first, const Reduction& reduction);

// The following return false where nothing was done, on any rank: too many ranks for the memory.
// `mine`: block 0 is this rank's own block. `all`: what all ranks give, on every rank.
// `call`: an allgather or allgatherv.
bool hybrid_allgather(Container& container, MPI_Comm comm, const CallFacts& call, RankBlocks& mine,
                      RankBlocks& all);
// What has become of a call whose root, or whose ranks, may give more than others have room for.
enum class VariableOutcome {
  kNotDone,  // on no rank
  kDone,
  kTruncated,  // somebody has sent this rank more than it has room for; the rest is left out
};
// Blocks of `bytes` each. `all`: on `root` alone. `mine`: nullptr where it is in place already.
VariableOutcome hybrid_gather(Container& container, MPI_Comm comm, std::uint64_t bytes,
                              RankBlocks* mine, RankBlocks* all, int root);
// `all`: on `root` alone. `mine`: nullptr where it stays in place.
VariableOutcome hybrid_scatter(Container& container, MPI_Comm comm, std::uint64_t bytes,
                               RankBlocks* all, RankBlocks* mine, int root);
// Whether this rank need not wait for others in the next one, so that a nonblocking scatter may be
// done at once.
bool scatter_need_not_wait(Container& container, std::uint64_t bytes, int root);
// Each rank knows how much it gives itself, the root all sizes. `call`: a gatherv, or a gather.
// `all`: on the root alone. `mine`: nullptr where it is in place already.
VariableOutcome hybrid_gatherv(const CallFacts& call, Container& container, MPI_Comm comm,
                               RankBlocks* mine, RankBlocks* all);
// The same the other way, on one node; `mine`: nullptr where it stays in place.
VariableOutcome hybrid_scatterv(Container& container, MPI_Comm comm, RankBlocks* all,
                                RankBlocks* mine, int root);
// Each rank knows what it gives to all and takes from all. `send` and `recv` may be the same buffer
// (in place).
VariableOutcome hybrid_alltoallv(Container& container, MPI_Comm comm, RankBlocks& send,
                                 RankBlocks& recv);

// Blocks of equal size. `send` and `recv` may be the same buffer (in place).
bool hybrid_alltoall(Container& container, MPI_Comm comm, RankBlocks& send, RankBlocks& recv);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_COLLECTIVES_H_
