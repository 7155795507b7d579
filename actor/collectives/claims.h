// MPIACTOR_CHECK: whether the members of a node believe in the same call.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_CLAIMS_H_
#define MPIACTOR_ACTOR_COLLECTIVES_CLAIMS_H_

#include <cstdint>

#include "actor/collectives/call_facts.h"
#include "actor/container/container.h"

namespace mpiactor {

// Where MPIACTOR_CHECK is on: compares the communicator's next request with what the first member
// to come wrote of it, and ends the job with both texts where they differ.
void compare_claims(Container& container, const CallFacts& call);

// The call is passed on after all: the next request is another one.
void withdraw_claims(Container& container);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_CLAIMS_H_
