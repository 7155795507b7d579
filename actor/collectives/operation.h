// Which collective calls the runtime runs itself, and in which way: pure functions of what all
// ranks know of the call (CallFacts) and of the communicator, by its table of rules.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_OPERATION_H_
#define MPIACTOR_ACTOR_COLLECTIVES_OPERATION_H_

#include <cstdint>
#include <string>

#include "actor/collectives/call_facts.h"
#include "actor/container/container.h"
#include "inter/tuning.h"

namespace mpiactor {

// Whose rules hold for it.
inter::Call call_of(Operation operation);

// Of a blocking call that begins with `policy`.
const inter::Rule& rule_of(const CallFacts& call, const Container& container, LeaderPolicy policy);
// Whether a call that begins with `policy`, blocking or not, is the runtime's. Others go to the MPI
// library.
bool is_worth_it(const CallFacts& call, const Container& container, LeaderPolicy policy);

// The way of a call that the runtime does; never kLibrary.
inter::Way way_of(const CallFacts& call, const Container& container);
// The same for an exchange that has no memory for kDirect.
inter::Way way_without_direct(const CallFacts& call, const Container& container);
// Whether a call that has turned out to go neither by single copy nor by send buffers stays the
// runtime's: where it is worth it; in the background always, since that has begun.
bool goes_on_in_staging(const CallFacts& call, const Container& container);
// Whether a reduction's contributions are combined in the order in which they come.
bool combines_by_arrival(const CallFacts& call, const Container& container);
// Alltoallv between nodes: whether the last member of a node sends what all have laid down; else
// its fixed leader does.
bool last_member_sends(const Container& container);
// Whether one block of `bytes` may be read, or written, in another member's memory. For calls each
// of whose blocks goes its own way.
bool block_goes_directly(const CallFacts& call, std::uint64_t bytes, const Container& container);

// For MPIACTOR_VERBOSE=info: counts a blocking call of this rank, and what has been counted, as
// "allreduce direct 120, library 3; bcast auto 50".
void count_rule(const CallFacts& call, const inter::Rule& rule);
std::string rules_counted();

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_OPERATION_H_
