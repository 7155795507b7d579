// Scatterv on one node: the root alone knows all sizes, the others their own. The root lays every
// member's block down for it, or lets it read its block in the root's own memory. Who takes nothing
// goes on at once and waits for nobody. Each call is one request, whatever the sizes.
//
// Between nodes the MPI library does it: short blocks gained little on a way through the nodes'
// memory, long ones lost, and only the root knows which they are.
#include <algorithm>
#include <list>
#include <vector>

#include "actor/collectives/hybrid.h"
#include "actor/collectives/offers.h"
#include "actor/collectives/operation.h"
#include "actor/collectives/parcels.h"
#include "actor/container/progress.h"
#include "actor/container/world.h"
#include "actor/shm/wait.h"
#include "actor/trace/counters.h"
#include "actor/trace/span.h"

namespace mpiactor {
namespace {

// What a block takes in a room.
constexpr std::uint64_t in_room(std::uint64_t bytes) { return (bytes + 63) / 64 * 64; }

class ScatterRoot {
 public:
  ScatterRoot(Container& container, Outbox& outbox, RankBlocks& all)
      : container_(container), parcels_{container, outbox, container.next_sequence()}, all_(all) {}

  // Returns whether the root's own block is longer than its room.
  bool run(RankBlocks* mine);

 private:
  static constexpr std::uint64_t kNoRoom = ~std::uint64_t{0};

  void take_rooms();
  void give_all();
  void offer(int member);
  void give_what_is_left();
  void give_staged(int member);
  bool work();

  Container& container_;
  Parcels parcels_;
  RankBlocks& all_;
  std::vector<int> offered_;            // members, whose blocks wait in this rank's memory
  std::vector<std::uint64_t> room_of_;  // each member's; empty: no block goes to a room
  std::list<PipeGiver> pipes_;
};

// Blocks that are handed over have their room, too: they may be left. All is taken at once, since a
// second time in one request would wait for the first. Short blocks need none, and no memory for
// what is known of it.
void ScatterRoot::take_rooms() {
  std::uint64_t used = 0;
  for (int member = 0; member < container_.members(); ++member) {
    const std::uint64_t bytes = all_.bytes(member);
    if (member == container_.member() || Parcels::is_short(bytes)) continue;
    if (!parcels_.fits_room(used + in_room(bytes))) continue;
    if (room_of_.empty()) {
      room_of_.assign(static_cast<std::size_t>(container_.members()), kNoRoom);
    }
    room_of_[static_cast<std::size_t>(member)] = used;
    used += in_room(bytes);
  }
  if (used == 0) return;
  const std::uint64_t offset = parcels_.outbox.take_room(parcels_.sequence, used);
  for (std::uint64_t& room : room_of_) {
    if (room != kNoRoom) room += offset;
  }
}

// Every member's parcel is filled, also of those that take nothing: a program may be wrong.
void ScatterRoot::give_all() {
  take_rooms();
  for (int member = 0; member < container_.members(); ++member) {
    if (member == container_.member()) continue;
    if (scatterv_block_goes_directly(all_.bytes(member), container_) && all_.contiguous(member)) {
      offer(member);
    } else {
      give_staged(member);
    }
  }
}

// Before anything else is said in the parcel in this request.
void ScatterRoot::offer(int member) {
  Parcel& parcel = parcels_.of(member);
  parcel.bytes = all_.bytes(member);
  parcel.offer.open(parcels_.sequence, all_.contiguous(member));
  parcel.filled.publish(competition::stamp(parcels_.sequence, 0));
  offered_.push_back(member);
}

void ScatterRoot::give_what_is_left() {
  std::uint64_t bytes = 0;
  std::vector<Offer*> offers;
  for (const int member : offered_) {
    bytes += all_.bytes(member);
    offers.push_back(&parcels_.of(member).offer);
  }
  close_offers(offers, parcels_.sequence, bytes);
  bool any_left = false;
  for (const int member : offered_) {
    if (parcels_.of(member).offer.is_taken(parcels_.sequence)) continue;
    any_left = true;
    give_staged(member);
  }
  if (!any_left) ++trace::counters().single_copy;
}

void ScatterRoot::give_staged(int member) {
  Parcel& parcel = parcels_.of(member);
  const std::uint64_t room =
      room_of_.empty() ? kNoRoom : room_of_[static_cast<std::size_t>(member)];
  if (Parcels::is_short(all_.bytes(member))) {
    give(parcels_, parcel, all_, member, 0);
  } else if (room != kNoRoom) {
    give(parcels_, parcel, all_, member, room);
  } else {
    pipes_.emplace_back(parcels_, parcel, all_, member, false);
  }
}

bool ScatterRoot::work() {
  bool any = false;
  for (PipeGiver& pipe : pipes_) any |= pipe.step();
  std::erase_if(pipes_, [](const PipeGiver& pipe) { return pipe.done(); });
  return any;
}

bool ScatterRoot::run(RankBlocks* mine) {
  ++trace::counters().led;
  trace::led();
  trace::first_byte();
  if (container_.drops().size() != 0) container_.drops().sweep();
  container_.queue().lead(parcels_.sequence);
  give_all();
  bool truncated = false;
  if (!offered_.empty()) {
    // While the others read.
    truncated = mine && copy_what_fits(all_, container_.rank(), *mine, 0);
    mine = nullptr;
    give_what_is_left();
  }
  if (pipes_.size() == 1) {
    pipes_.front().finish();
  } else {
    work_until([&] { return pipes_.empty(); }, [&] { return work(); });
  }
  trace::last_byte();
  container_.queue().leave(parcels_.sequence);
  if (mine) truncated = copy_what_fits(all_, container_.rank(), *mine, 0);
  return truncated;
}

// Waits until the root says something in the parcel, and if that is an offer, reads the block.
// False: it comes as others do.
bool take_directly(const Parcels& parcels, Parcel& parcel, RankBlocks& mine) {
  const std::uint64_t said = competition::stamp(parcels.sequence, 0);
  shm::wait_until(parcel.filled, world()->wait,
                  [=](std::uint64_t filled) { return filled >= said; });
  if (!parcel.offer.claim(parcels.sequence)) return false;
  const std::uint64_t bytes = std::min(parcel.bytes, mine.bytes(0));
  std::byte* target = mine.contiguous(0);
  std::vector<std::byte> packed(target ? 0 : bytes);
  if (!target) target = packed.data();
  if (!parcel.offer.read(parcels.sequence, target, bytes)) return false;
  if (!packed.empty()) mine.write(0, 0, bytes, packed.data());
  ++trace::counters().single_copy;
  return true;
}

// Another rank's part; returns whether its block is longer than its room.
bool take(Container& container, Outbox& outbox, RankBlocks& mine) {
  const Parcels parcels{container, outbox, container.next_sequence()};
  const std::uint64_t capacity = mine.bytes(0);
  bool truncated = false;
  if (capacity != 0) {
    Parcel& parcel = parcels.of(container.member());
    if (!container.single_copy() || !take_directly(parcels, parcel, mine)) {
      ParcelTaker(parcels, parcel, mine, 0, capacity).finish();
    }
    truncated = parcel.bytes > capacity;
  }
  trace::last_byte();
  container.queue().leave(parcels.sequence);
  return truncated;
}

}  // namespace

VariableOutcome hybrid_scatterv(Container& container, MPI_Comm comm, RankBlocks* all,
                                RankBlocks* mine, int root) {
  Outbox* const outbox = container.outbox(comm);
  if (!outbox) return VariableOutcome::kNotDone;
  const bool truncated = container.rank() == root ? ScatterRoot(container, *outbox, *all).run(mine)
                                                  : take(container, *outbox, *mine);
  if (mine) mine->finish();
  return truncated ? VariableOutcome::kTruncated : VariableOutcome::kDone;
}

}  // namespace mpiactor
