// What an engine takes to run a plan.
#ifndef MPIACTOR_INTER_ENGINE_MEMORY_H_
#define MPIACTOR_INTER_ENGINE_MEMORY_H_

#include <cstdint>

#include "inter/plan.h"

namespace mpiactor::inter {

// Where an operation that takes ahead takes in what comes, or a strided one packs: 0 for others.
// `window`: its segments under way.
std::uint64_t intake_bytes(const PlanOp& op, std::uint64_t segment_bytes, int window);

// Of an engine while it runs `plan`, not pushed: its operations, their intake, a request for each
// segment under way. `large_peers`: from so many peers, those that need most, a window is taken in
// before it is combined, from the others a segment; PeerPolicy::kAllPeers: from all.
std::uint64_t engine_bytes(const Plan& plan, std::uint64_t segment_bytes, int window,
                           int large_peers);

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_ENGINE_MEMORY_H_
