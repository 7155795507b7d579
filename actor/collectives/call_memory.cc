#include "actor/collectives/call_memory.h"

#include <algorithm>

#include "actor/between/block_message.h"
#include "actor/node/meeting.h"

namespace mpiactor {
namespace {

// Longer messages gain less in an allgather than elsewhere between nodes.
constexpr std::uint64_t kMostOfAllgatherBetweenNodes = 1 << 20;

}  // namespace

CallMemory memory_of(const CallFacts& call, const Container& container) {
  const NodeMap& nodes = container.nodes();
  const bool one_node = nodes.nodes() == 1;
  const auto ranks = static_cast<std::uint64_t>(nodes.ranks());
  const auto members = static_cast<std::uint64_t>(nodes.most_members());
  const std::uint64_t most = one_node ? kCachedRoom : kRoomBetweenNodes;
  switch (call.operation()) {
    case Operation::kAllgather:
    case Operation::kAllgatherv:
      // The average block, and a part of every block, round to one byte more.
      return {2 * ranks, std::min((call.bytes() + 2) * ranks,
                                  one_node ? kCachedRoom : kMostOfAllgatherBetweenNodes)};
    case Operation::kAlltoall: {
      const std::uint64_t blocks = (one_node ? 1 : 2) * members * ranks;
      return {blocks, std::min(blocks * call.bytes(), most)};
    }
    default:
      return {members, std::min(members * call.bytes(), most)};
  }
}

std::uint64_t room_for(Container& container, MPI_Comm comm, const CallMemory& memory) {
  const std::uint64_t room = request_room(container, comm, memory.wanted, memory.wanted);
  return room < memory.least ? 0 : room;
}

bool needs_send_buffers(const CallFacts& call, const Container& container) {
  const bool one_node = container.nodes().nodes() == 1;
  return call.operation() == Operation::kGather &&
         call.bytes() <= (one_node ? SendBuffers::kMostBufferBytes : kJoinedBlockBytes);
}

}  // namespace mpiactor
