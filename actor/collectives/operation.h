// The collectives that the runtime takes over, and which of them it runs itself.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_OPERATION_H_
#define MPIACTOR_ACTOR_COLLECTIVES_OPERATION_H_

#include <cstdint>

#include "actor/container/container.h"

namespace mpiactor {

enum class Operation {
  kBarrier,
  kBcast,
  kReduce,
  kAllreduce,
  kReduceScatter,
  kReduceScatterBlock,
  kAllgather,
  kAllgatherv,
  kGather,
  kGatherv,
  kScatter,
  kScatterv,
  kAlltoall,
  kAlltoallv,
};

// "MPI_Barrier", ...
const char* operation_name(Operation operation);

// Whether a call goes by single copy: members read each other's memory. Arguments as of
// is_worth_it().
bool goes_directly(Operation operation, std::uint64_t bytes, const Container& container);

// Whether the members of one node take blocks from each other's outboxes; whether they can, shows
// later. Arguments as of is_worth_it().
bool goes_by_outboxes(Operation operation, std::uint64_t bytes, const Container& container);

// Whether the runtime was measured to be at least as quick as the MPI library
// (docs/benchmarking.md) or MPIACTOR_NEVER_WORSE is 0. `bytes`: equal on all ranks; reductions: of
// the whole vector; others: of one rank's block.
bool is_worth_it(Operation operation, std::uint64_t bytes, const Container& container);
// A blocking one that is worth it but for its few bytes: left to the MPI library.
bool is_too_short(Operation operation, std::uint64_t bytes, const Container& container);
// As is_worth_it(), for a call that has turned out to go neither by single copy nor by outboxes.
bool is_worth_staging(Operation operation, std::uint64_t bytes, const Container& container);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_OPERATION_H_
