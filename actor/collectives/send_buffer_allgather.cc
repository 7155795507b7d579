#include "actor/collectives/send_buffer_allgather.h"

#include "actor/node/shared_blocks.h"

namespace mpiactor {
namespace {

bool fits_send_buffers(const SendBuffers& send_buffers, const RankBlocks& all) {
  for (int rank = 0; rank < all.ranks(); ++rank) {
    if (all.bytes(rank) > send_buffers.buffer_bytes()) return false;
  }
  return true;
}

}  // namespace

bool send_buffer_allgather(Container& container, MPI_Comm comm, RankBlocks& mine, RankBlocks& all) {
  SendBuffers* const send_buffers = container.send_buffers(comm);
  if (!send_buffers || !fits_send_buffers(*send_buffers, all)) return false;
  const SharedBlocks shared_blocks{container, *send_buffers, container.next_sequence()};
  if (container.drops().size() != 0) container.drops().sweep();
  container.queue().enter(shared_blocks.sequence);
  const int me = container.member();
  const std::uint64_t bytes = mine.bytes(0);
  const std::uint64_t room =
      SharedBlocks::is_short(bytes) ? 0 : send_buffers->take(shared_blocks.sequence, bytes);
  give(shared_blocks, shared_blocks.of(me), mine, 0, room);
  copy_what_fits(mine, 0, all, container.rank());
  const inter::RankList ranks = container.nodes().members(container.node());
  // Beginning after this one: no two members begin with the same.
  for (int step = 1; step < container.members(); ++step) {
    const int member = (me + step) % container.members();
    const int rank = ranks[static_cast<std::size_t>(member)];
    SharedBlockTaker(shared_blocks, shared_blocks.of(member), all, rank, all.bytes(rank)).finish();
  }
  container.queue().leave(shared_blocks.sequence);
  all.finish();
  return true;
}

}  // namespace mpiactor
