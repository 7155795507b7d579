// Which messages are pushed, and which may go to leaders that stay.
#ifndef MPIACTOR_ACTOR_CONTAINER_PUSH_LIMIT_H_
#define MPIACTOR_ACTOR_CONTAINER_PUSH_LIMIT_H_

#include <cstdint>
#include <string_view>

#include "actor/config/settings.h"
#include "actor/container/leases.h"
#include "inter/cost_model.h"
#include "inter/plan.h"

namespace mpiactor {

// See Container::push_limit().
inline std::uint64_t push_limit_bytes(const Settings& settings, const inter::Shape& shape,
                                      const inter::LinkModel& link, bool several_candidates) {
  if (settings.push_bytes) return *settings.push_bytes;
  if (settings.torus.empty()) {
    return several_candidates && settings.candidates > 1 ? 2 << 10 : 16 << 10;
  }
  return inter::eager_limit_bytes(inter::diameter_hops(shape, link));
}

// The broadcasts' algorithm in which leaders may stay.
inline constexpr std::string_view kPlanWithLeases = "linear";

// See Container::lease_limit().
inline std::uint64_t lease_limit_bytes(const Settings& settings) {
  const bool is_told_otherwise = settings.push_bytes || !settings.torus.empty();
  return is_told_otherwise || settings.candidates == 1 ? 0 : Leases::kMostBytes;
}

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_PUSH_LIMIT_H_
