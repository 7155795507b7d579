// Nonblocking and persistent collectives: what they have in common.
#ifndef MPIACTOR_ACTOR_INTERPOSE_BACKGROUND_CALL_H_
#define MPIACTOR_ACTOR_INTERPOSE_BACKGROUND_CALL_H_

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "actor/collectives/call_facts.h"
#include "actor/container/container.h"
#include "actor/container/registry.h"
#include "actor/interpose/block_call.h"
#include "actor/reduction/reduction.h"
#include "actor/trace/communicators.h"

namespace mpiactor::interpose {

// A collective call with checked arguments that can run at any time, also several times. It knows
// no communicator: the application may free that before the call begins, and in the background
// nobody asks its ranks for more memory.
struct BackgroundCall {
  const char* name = nullptr;  // "MPI_Ibcast"
  CallFacts facts = CallFacts::barrier();
  trace::CommIdentity* identity = nullptr;  // where its start is recorded
  std::shared_ptr<Container> container;
  std::function<int()> run;  // returns MPI_SUCCESS or an error class
};

// The arguments as a call on `container`, which is `state`'s; nothing where the call is to be
// passed on. The answer is the same on all ranks where the arguments are valid.
std::optional<BackgroundCall> prepare_barrier(const CommState& state);
std::optional<BackgroundCall> prepare_bcast(void* buffer, MPI_Count count, MPI_Datatype type,
                                            int root, const CommState& state);
std::optional<BackgroundCall> prepare_reduce(const void* send, void* recv, MPI_Count count,
                                             MPI_Datatype type, MPI_Op op, int root,
                                             const CommState& state);
std::optional<BackgroundCall> prepare_allreduce(const void* send, void* recv, MPI_Count count,
                                                MPI_Datatype type, MPI_Op op,
                                                const CommState& state);

// `first`: of each rank's share of the result, and the end. `facts`: of a reduce_scatter or
// reduce_scatter_block.
using ReduceScatterFacts = CallFacts (*)(std::uint64_t vector_bytes, bool order_matters);
std::optional<BackgroundCall> prepare_reduce_scatter(const char* name, const void* send, void* recv,
                                                     std::vector<std::uint64_t> first,
                                                     MPI_Datatype type, MPI_Op op,
                                                     const CommState& state,
                                                     ReduceScatterFacts facts);
std::optional<BackgroundCall> prepare_blocks(const char* name, BlockCall call,
                                             std::shared_ptr<KeptTypes> kept,
                                             const CommState& state);
// make(kept): the arguments as a BlockCall, which keeps its types there.
template <typename Make>
std::optional<BackgroundCall> prepare_blocks(const char* name, const CommState& state, Make make) {
  auto kept = std::make_shared<KeptTypes>();
  std::optional<BlockCall> call = make(kept.get());
  if (!call) return std::nullopt;
  return prepare_blocks(name, std::move(*call), std::move(kept), state);
}

// Whether a call on blocks may begin now, with the memory that there is. Equal on all ranks.
bool blocks_may_begin(const CallFacts& facts, Container& container);
// Runs such a call to its end; returns its error.
int run_begun(BlockCall& call, Container& container);

// Starts it. `ended` gets what run() has returned, and must not throw. Throws std::bad_alloc where
// there is no memory for it; then it has not begun here.
void start(BackgroundCall call, std::function<void(int error)> ended);

}  // namespace mpiactor::interpose

#endif  // MPIACTOR_ACTOR_INTERPOSE_BACKGROUND_CALL_H_
