// What MPIACTOR_MEMORY means for the engines' buffers.
#ifndef MPIACTOR_ACTOR_CONTAINER_PEER_POLICY_H_
#define MPIACTOR_ACTOR_CONTAINER_PEER_POLICY_H_

#include "actor/config/settings.h"
#include "inter/peer_buffers.h"

namespace mpiactor {

inline inter::PeerPolicy peer_policy(const MemoryMode& mode) {
  const int otherwise = mode.saving ? MemoryMode::kPeersOfSaving : inter::PeerPolicy::kAllPeers;
  return {mode.large_peers.value_or(otherwise), mode.saving ? MemoryMode::kUsesBeforeLarge : 0};
}

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_PEER_POLICY_H_
