#include "actor/collectives/parcel_allgather.h"

#include "actor/collectives/parcels.h"

namespace mpiactor {
namespace {

bool fits_outboxes(const Outbox& outbox, const RankBlocks& all) {
  for (int rank = 0; rank < all.ranks(); ++rank) {
    if (all.bytes(rank) > outbox.room_bytes()) return false;
  }
  return true;
}

}  // namespace

bool parcel_allgather(Container& container, MPI_Comm comm, RankBlocks& mine, RankBlocks& all) {
  Outbox* const outbox = container.outbox(comm);
  if (!outbox || !fits_outboxes(*outbox, all)) return false;
  const Parcels parcels{container, *outbox, container.next_sequence()};
  if (container.drops().size() != 0) container.drops().sweep();
  container.queue().enter(parcels.sequence);
  const int me = container.member();
  const std::uint64_t bytes = mine.bytes(0);
  const std::uint64_t room =
      Parcels::is_short(bytes) ? 0 : outbox->take_room(parcels.sequence, bytes);
  give(parcels, parcels.of(me), mine, 0, room);
  copy_what_fits(mine, 0, all, container.rank());
  const inter::RankList ranks = container.nodes().members(container.node());
  // Beginning after this one: no two members begin with the same.
  for (int step = 1; step < container.members(); ++step) {
    const int member = (me + step) % container.members();
    const int rank = ranks[static_cast<std::size_t>(member)];
    ParcelTaker(parcels, parcels.of(member), all, rank, all.bytes(rank)).finish();
  }
  container.queue().leave(parcels.sequence);
  all.finish();
  return true;
}

}  // namespace mpiactor
