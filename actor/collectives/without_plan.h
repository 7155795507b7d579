// Whether the nodes of a call go without a plan: each sends to those who need what it has, and
// whoever is there does it. Equal on all ranks.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_WITHOUT_PLAN_H_
#define MPIACTOR_ACTOR_COLLECTIVES_WITHOUT_PLAN_H_

#include <optional>

#include "actor/container/container.h"
#include "inter/registry.h"

namespace mpiactor {

// Whether the settings ask for a plan: by the name of an algorithm, by rules of the tuning table
// for it, or by a torus. `collective`: nothing where it has neither names nor rules.
bool is_plan_asked_for(std::optional<inter::Collective> collective);

// Nor where leaders are static: then one member of each node talks for it.
bool goes_without_plan(const Container& container, std::optional<inter::Collective> collective);

// Nor on so many nodes that messages to all count for more than who sends them: exchanges of few
// nodes of several ranks.
bool all_send_to_all(const Container& container, std::optional<inter::Collective> collective);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_WITHOUT_PLAN_H_
