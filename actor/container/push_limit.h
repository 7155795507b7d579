// Which messages are pushed, and which may go to leaders that stay.
#ifndef MPIACTOR_ACTOR_CONTAINER_PUSH_LIMIT_H_
#define MPIACTOR_ACTOR_CONTAINER_PUSH_LIMIT_H_

#include <algorithm>
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

// See Container::scatter_push_limit(). The root sends all nodes' messages itself and can know none
// of their leaders before they come, so copies are worth more than in a broadcast, as long as a
// node's are not too many bytes in all.
inline std::uint64_t scatter_push_limit_bytes(const Settings& settings, std::uint64_t push_limit,
                                              int most_members) {
  constexpr std::uint64_t kMostOfANode = 32 << 10;
  constexpr std::uint64_t kMost = 8 << 10;
  if (settings.push_bytes || !settings.torus.empty()) return push_limit;
  const std::uint64_t candidates = std::min<std::uint64_t>(
      static_cast<std::uint64_t>(most_members), static_cast<std::uint64_t>(settings.candidates));
  return std::max(push_limit, std::min(kMost, kMostOfANode / candidates));
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
