// Which way collectives go between nodes, as far as numbers of nodes and bytes decide it: limits
// that were measured. The runtime goes by them, and so does the simulator where it plays recorded
// calls: neither has limits of its own.
#ifndef MPIACTOR_INTER_WAYS_H_
#define MPIACTOR_INTER_WAYS_H_

#include <algorithm>
#include <cstdint>
#include <limits>

namespace mpiactor::inter {

// Exchanges of all nodes. Up to so many nodes whoever completes what its node gives sends it, and
// homes receive; on more, messages to all count for more than who sends them.
inline constexpr int kLastSendsNodes = 8;
// A home waits so long for its members before it leaves sending to the last of them: about as long
// as they take to come where all begin together. Then one process for both directions is quicker
// than two, where there are more ranks than cores.
inline constexpr std::uint64_t kHomePatienceUs = 300;

// Messages of reductions among them are cut into segments that MPI libraries mostly send without
// asking the receiver.
inline constexpr std::uint64_t kShareSegmentBytes = 15 << 10;

// Up to so many nodes the root of a reduce takes in every node's vector itself.
inline constexpr int kReduceStarNodes = 8;
// So vectors that are reduced to a root are cut: blocks stay in the caches of the cores that share
// them.
inline constexpr std::uint64_t kReduceBlockBytes = 256 << 10;

// Whether in an allreduce (barrier: of one byte) every node sends its whole vector to every other
// one. On more nodes the number of messages weighs more than a second round; longer vectors than
// MPI libraries mostly send without asking the receiver go in shares or by plans.
constexpr bool one_round_pays(int nodes, std::uint64_t bytes) {
  return nodes > 1 && nodes <= 8 && bytes <= 16 << 10;
}

// Whether one round is quick for the shortest ones (barrier: no bytes) where there are more ranks
// than cores: there MPI libraries' own, with fewer messages in more rounds, were measured to be
// quicker, but on a few nodes of several ranks each. `members`: of the largest node.
constexpr bool shortest_pay_where_crowded(int nodes, int members, std::uint64_t bytes) {
  return nodes <= 2 || (nodes <= 4 && members >= 4) || bytes > 16;
}

// Whether in an allreduce each node combines a share of the vector for all, whoever completes its
// node's vector sending. Not where there are many shares of few bytes: there the home's plans were
// measured to be quicker when all come together.
inline constexpr std::uint64_t kShareBlockBytes = 256 << 10;
constexpr bool shares_pay(int nodes, std::uint64_t bytes) {
  constexpr int kNotMany = 4;
  constexpr std::uint64_t kLeastOfManyNodes = 64 << 10;
  return nodes <= kNotMany || bytes >= kLeastOfManyNodes;
}
// On more nodes the home first waits for its members (kHomePatienceUs) where nodes combine shares.
inline constexpr int kImpatientShareNodes = 4;

// Blocks that are longer are left to the MPI library (MPIACTOR_NEVER_WORSE=1). `members`: of the
// largest node; where nodes have one each, there are no messages to join.
inline constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t most_allgather_block(int nodes, int members) {
  if (members == 1) return 0;
  if (nodes <= 4) return kNoLimit;
  return nodes <= 8 ? 128 << 10 : 32 << 10;
}
constexpr std::uint64_t most_alltoall_block(int nodes, int members) {
  if (members == 1) return 0;
  return nodes <= 8 && members >= 4 ? 64 << 10 : 4 << 10;
}
inline constexpr std::uint64_t kMostScatterBlock = 1 << 20;

// Gatherv. Up to this a block travels in the node's letter, by way of the node's shared
// memory.
inline constexpr std::uint64_t kLetterBlockBytes = 4 << 10;
// From this on a block that fits a room may go by way of the node again: then nobody waits for a
// late partner on the other side. In between the way through memory takes longer than it gains.
inline constexpr std::uint64_t kForwardedBlockBytes = 64 << 10;
// Longer ones cost a fifth of the call's time where all come together, and do so where asked for.
inline constexpr std::uint64_t kMostForwardedBytes = 128 << 10;

// Whether a block goes from process to process, whatever else the node gives or takes.
// `forwards_all`, equal on all ranks: whatever fits a room goes by way of the node.
constexpr bool travels_alone(std::uint64_t bytes, std::uint64_t room_bytes, bool forwards_all) {
  const std::uint64_t most =
      forwards_all ? room_bytes : std::min<std::uint64_t>(room_bytes, kMostForwardedBytes);
  return bytes > kLetterBlockBytes && (bytes < kForwardedBlockBytes || bytes > most);
}

// Alltoallv: the same, in the letter of one node for another, as far as there is memory. Few
// messages are joined in the letters of small nodes.
constexpr std::uint64_t most_in_alltoallv_letter(int members) {
  return members >= 4 ? 16 << 10 : 4 << 10;
}

// How long a root that gives waits for nodes to say who leads them before it sends to all who
// might: about what sending to all would cost it.
inline constexpr std::uint32_t kPushPatienceUs = 60;

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_WAYS_H_
