// Which collective calls the runtime runs itself, and in which way: pure functions of what all
// ranks know of the call (CallFacts) and of the communicator.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_OPERATION_H_
#define MPIACTOR_ACTOR_COLLECTIVES_OPERATION_H_

#include <cstdint>

#include "actor/collectives/call_facts.h"
#include "actor/container/container.h"

namespace mpiactor {

// Whether a call goes by single copy: members read each other's memory.
bool goes_directly(const CallFacts& call, const Container& container);
// Scatterv, whose root alone knows the sizes and tells each member what becomes of its block:
// whether one of `bytes` is read by its taker.
bool scatterv_block_goes_directly(std::uint64_t bytes, const Container& container);

// Whether the members of one node take blocks from each other's outboxes; whether they can, shows
// later.
bool goes_by_outboxes(const CallFacts& call, const Container& container);

// Whether the runtime was measured to be at least as quick as the MPI library
// (docs/results.md) or MPIACTOR_NEVER_WORSE is 0.
bool is_worth_it(const CallFacts& call, const Container& container);
// A blocking one that is worth it but for its few bytes: left to the MPI library.
bool is_too_short(const CallFacts& call, const Container& container);
// As is_worth_it(), for a call that has turned out to go neither by single copy nor by outboxes.
bool is_worth_staging(const CallFacts& call, const Container& container);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_OPERATION_H_
