// Numbers of the ways that collectives go between nodes (which they go is said by
// inter/rules.json). The runtime goes by them, and so does the simulator where it plays recorded
// calls.
#ifndef MPIACTOR_INTER_WAYS_H_
#define MPIACTOR_INTER_WAYS_H_

#include <algorithm>
#include <cstdint>

namespace mpiactor::inter {

// A leader waits so long for its members before it leaves sending to the last of them: about as
// long as they take to come where all begin together. Then one process for both directions is
// quicker than two, where there are more ranks than cores.
inline constexpr std::uint64_t kLeaderPatienceUs = 300;

// Messages of reductions are cut into segments that MPI libraries mostly send without asking the
// receiver.
inline constexpr std::uint64_t kShareSegmentBytes = 15 << 10;
// Whole vectors that are no longer go in one message.
inline constexpr std::uint64_t kOneMessageBytes = 16 << 10;

// So vectors that are reduced to a root are cut: blocks stay in the caches of the cores that share
// them.
inline constexpr std::uint64_t kReduceBlockBytes = 256 << 10;

// Blocks of an allreduce of which each node combines a share.
inline constexpr std::uint64_t kShareBlockBytes = 256 << 10;
// On more nodes the leader first waits for its members (kLeaderPatienceUs) where nodes combine
// shares.
inline constexpr int kImpatientShareNodes = 4;

// Gatherv. Up to this a block travels in the node's block message, by way of the node's shared
// memory.
inline constexpr std::uint64_t kJoinedBlockBytes = 4 << 10;
// From this on a block that fits a send buffer may go by way of the node again: then nobody waits
// for a late partner on the other side. In between the way through memory takes longer than it
// gains.
inline constexpr std::uint64_t kForwardedBlockBytes = 64 << 10;
// Longer ones cost a fifth of the call's time where all come together, and do so where asked for.
inline constexpr std::uint64_t kMostForwardedBytes = 128 << 10;

// Whether a block goes from process to process, whatever else the node gives or takes.
// `forwards_all`, equal on all ranks: whatever fits a send buffer goes by way of the node.
constexpr bool travels_alone(std::uint64_t bytes, std::uint64_t buffer_bytes, bool forwards_all) {
  const std::uint64_t most =
      forwards_all ? buffer_bytes : std::min<std::uint64_t>(buffer_bytes, kMostForwardedBytes);
  return bytes > kJoinedBlockBytes && (bytes < kForwardedBlockBytes || bytes > most);
}

// Alltoallv: the same, in the block message of one node for another, as far as there is memory. Few
// messages are joined in the block messages of small nodes.
constexpr std::uint64_t longest_joined_alltoallv_block(int members) {
  return members >= 4 ? 16 << 10 : 4 << 10;
}

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_WAYS_H_
