#include "actor/collectives/without_plan.h"

#include "actor/container/world.h"
#include "inter/ways.h"

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

bool all_send_to_all(const Container& container, std::optional<inter::Collective> collective) {
  return goes_without_plan(container, collective) &&
         container.nodes().nodes() <= inter::kLastSendsNodes &&
         container.nodes().most_members() > 1;
}

}  // namespace mpiactor
