// What comes before every handled call, blocking or in the background.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_BEGIN_CALL_H_
#define MPIACTOR_ACTOR_COLLECTIVES_BEGIN_CALL_H_

#include "actor/collectives/call_facts.h"
#include "actor/container/container.h"

namespace mpiactor {

// Collective where container.must_meet().
void begin_call(Container& container, const CallFacts& call, LeaderPolicy policy);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_BEGIN_CALL_H_
