#include "actor/collectives/without_plan.h"

#include "actor/container/world.h"

namespace mpiactor {

bool is_plan_asked_for(std::optional<inter::Collective> collective) {
  const World& w = *world();
  if (!w.settings.torus.empty()) return true;
  if (!collective) return false;
  const auto rules = w.tuning.rules.find(*collective);
  return w.settings.algorithm(*collective) != "auto" ||
         (rules != w.tuning.rules.end() && !rules->second.empty());
}

bool goes_without_plan(const Container& container, std::optional<inter::Collective> collective) {
  return container.nodes().nodes() > 1 && container.is_competitive() &&
         !is_plan_asked_for(collective);
}

}  // namespace mpiactor
