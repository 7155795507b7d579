// Which messages are pushed.
#ifndef MPIACTOR_ACTOR_CONTAINER_PUSH_LIMIT_H_
#define MPIACTOR_ACTOR_CONTAINER_PUSH_LIMIT_H_

#include <algorithm>
#include <cstdint>

#include "actor/config/settings.h"
#include "inter/cost_model.h"
#include "inter/plan.h"

namespace mpiactor {

// Every so many requests a short message is announced, too. A node that announces has left all
// requests but the last few, so this bounds how far a sender can run ahead of it.
inline constexpr std::uint64_t kAnnouncedEvery = 64;

inline constexpr std::uint64_t kMostEagerBytes = 16 << 10;  // that find_eager_limit() asks about

// See Container::push_limit(). `eager_bytes`: of World. A sender of longer messages would wait for
// members that are late.
inline std::uint64_t push_limit_bytes(const Settings& settings, const inter::Shape& shape,
                                      const inter::LinkModel& link, std::uint64_t eager_bytes) {
  if (settings.push_bytes) return *settings.push_bytes;
  if (settings.torus.empty()) return eager_bytes;
  return inter::eager_limit_bytes(inter::diameter_hops(shape, link));
}

// See Container::scatter_push_limit(). The root sends a message of its own to each node.
inline std::uint64_t scatter_push_limit_bytes(const Settings& settings, std::uint64_t push_limit,
                                              bool several_candidates, int most_members) {
  constexpr std::uint64_t kLeast = 2 << 10;
  constexpr std::uint64_t kMost = 8 << 10;
  constexpr std::uint64_t kCopiesOfANode = 32 << 10;
  const int candidates = several_candidates ? std::min(settings.candidates, most_members) : 1;
  if (settings.push_bytes || !settings.torus.empty() || candidates == 1) return push_limit;
  return std::min(push_limit, std::clamp(kCopiesOfANode / static_cast<std::uint64_t>(candidates),
                                         kLeast, kMost));
}

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_PUSH_LIMIT_H_
