// Scatterv on one node: the root alone knows all sizes, the others their own. The root lays every
// member's block down for it, or lets it read its block in the root's own memory. Who takes nothing
// goes on at once and waits for nobody. Each call is one request, whatever the sizes.
//
// Between nodes the MPI library does it: short blocks gained little on a way through the nodes'
// memory, long ones lost, and only the root knows which they are.
#include <algorithm>
#include <list>
#include <vector>

#include "actor/collectives/collectives.h"
#include "actor/collectives/operation.h"
#include "actor/container/progress.h"
#include "actor/container/world.h"
#include "actor/node/offers.h"
#include "actor/node/shared_blocks.h"
#include "actor/shm/cache_line.h"
#include "actor/shm/wait.h"
#include "actor/trace/counters.h"
#include "actor/trace/span.h"

namespace mpiactor {
namespace {

class ScatterRoot {
 public:
  ScatterRoot(Container& container, SendBuffers& send_buffers, RankBlocks& all)
      : container_(container),
        shared_blocks_{container, send_buffers, container.next_sequence()},
        all_(all) {}

  // Returns whether the root's own block is longer than its buffer.
  bool run(RankBlocks* mine);

 private:
  static constexpr std::uint64_t kNoPlace = ~std::uint64_t{0};

  void take_buffers();
  void give_all();
  void offer(int member);
  void give_what_is_left();
  void give_staged(int member);
  bool work();

  Container& container_;
  SharedBlocks shared_blocks_;
  RankBlocks& all_;
  std::vector<int> offered_;             // members, whose blocks wait in this rank's memory
  std::vector<std::uint64_t> place_of_;  // each member's; empty: no block goes to the buffer
  std::list<RingGiver> rings_;
};

// Blocks that are handed over have their place there, too: they may be left. All is taken at once,
// since a second time in one request would wait for the first. Short blocks need none, and no
// memory for what is known of it.
void ScatterRoot::take_buffers() {
  std::uint64_t used = 0;
  for (int member = 0; member < container_.members(); ++member) {
    const std::uint64_t bytes = all_.bytes(member);
    if (member == container_.member() || SharedBlocks::is_short(bytes)) continue;
    if (!shared_blocks_.fits_buffer(used + shm::round_to_lines(bytes))) continue;
    if (place_of_.empty()) {
      place_of_.assign(static_cast<std::size_t>(container_.members()), kNoPlace);
    }
    place_of_[static_cast<std::size_t>(member)] = used;
    used += shm::round_to_lines(bytes);
  }
  if (used == 0) return;
  const std::uint64_t offset = shared_blocks_.send_buffers.take(shared_blocks_.sequence, used);
  for (std::uint64_t& place : place_of_) {
    if (place != kNoPlace) place += offset;
  }
}

// Every member's shared block is filled, also of those that take nothing: a program may be wrong.
void ScatterRoot::give_all() {
  const CallFacts call = CallFacts::scatterv(container_.rank());
  take_buffers();
  for (int member = 0; member < container_.members(); ++member) {
    if (member == container_.member()) continue;
    if (block_goes_directly(call, all_.bytes(member), container_) && all_.contiguous(member)) {
      offer(member);
    } else {
      give_staged(member);
    }
  }
}

// Before anything else is said in the shared block in this request.
void ScatterRoot::offer(int member) {
  SharedBlock& shared_block = shared_blocks_.of(member);
  shared_block.bytes = all_.bytes(member);
  shared_block.offer.open(shared_blocks_.sequence, all_.contiguous(member));
  shared_block.filled.publish(competition::stamp(shared_blocks_.sequence, 0));
  offered_.push_back(member);
}

void ScatterRoot::give_what_is_left() {
  std::uint64_t bytes = 0;
  std::vector<Offer*> offers;
  for (const int member : offered_) {
    bytes += all_.bytes(member);
    offers.push_back(&shared_blocks_.of(member).offer);
  }
  close_offers(offers, shared_blocks_.sequence, bytes);
  bool any_left = false;
  for (const int member : offered_) {
    if (shared_blocks_.of(member).offer.is_taken(shared_blocks_.sequence)) continue;
    any_left = true;
    give_staged(member);
  }
  if (!any_left) ++trace::counters().single_copy;
}

void ScatterRoot::give_staged(int member) {
  SharedBlock& shared_block = shared_blocks_.of(member);
  const std::uint64_t place =
      place_of_.empty() ? kNoPlace : place_of_[static_cast<std::size_t>(member)];
  if (SharedBlocks::is_short(all_.bytes(member))) {
    give(shared_blocks_, shared_block, all_, member, 0);
  } else if (place != kNoPlace) {
    give(shared_blocks_, shared_block, all_, member, place);
  } else {
    rings_.emplace_back(shared_blocks_, shared_block, all_, member, false);
  }
}

bool ScatterRoot::work() {
  bool any = false;
  for (RingGiver& ring : rings_) any |= ring.step();
  std::erase_if(rings_, [](const RingGiver& ring) { return ring.done(); });
  return any;
}

bool ScatterRoot::run(RankBlocks* mine) {
  trace::led();
  trace::first_byte();
  if (container_.drops().size() != 0) container_.drops().sweep();
  container_.queue().lead(shared_blocks_.sequence);
  give_all();
  bool truncated = false;
  if (!offered_.empty()) {
    // While the others read.
    truncated = mine && copy_what_fits(all_, container_.rank(), *mine, 0);
    mine = nullptr;
    give_what_is_left();
  }
  if (rings_.size() == 1) {
    rings_.front().finish();
  } else {
    work_until([&] { return rings_.empty(); }, [&] { return work(); });
  }
  trace::last_byte();
  container_.queue().leave(shared_blocks_.sequence);
  if (mine) truncated = copy_what_fits(all_, container_.rank(), *mine, 0);
  return truncated;
}

// Waits until the root says something in the shared block, and if that is an offer, reads the
// block. False: it comes as others do.
bool take_directly(const SharedBlocks& shared_blocks, SharedBlock& shared_block, RankBlocks& mine) {
  const std::uint64_t said = competition::stamp(shared_blocks.sequence, 0);
  shm::wait_until(shared_block.filled, world()->wait,
                  [=](std::uint64_t filled) { return filled >= said; });
  if (!shared_block.offer.claim(shared_blocks.sequence)) return false;
  const std::uint64_t bytes = std::min(shared_block.bytes, mine.bytes(0));
  std::byte* target = mine.contiguous(0);
  std::vector<std::byte> packed(target ? 0 : bytes);
  if (!target) target = packed.data();
  if (!shared_block.offer.read(shared_blocks.sequence, target, bytes)) return false;
  if (!packed.empty()) mine.write(0, 0, bytes, packed.data());
  ++trace::counters().single_copy;
  return true;
}

// Another rank's part; returns whether its block is longer than its buffer.
bool take(Container& container, SendBuffers& send_buffers, RankBlocks& mine) {
  const SharedBlocks shared_blocks{container, send_buffers, container.next_sequence()};
  const std::uint64_t capacity = mine.bytes(0);
  bool truncated = false;
  if (capacity != 0) {
    SharedBlock& shared_block = shared_blocks.of(container.member());
    if (!container.single_copy() || !take_directly(shared_blocks, shared_block, mine)) {
      SharedBlockTaker(shared_blocks, shared_block, mine, 0, capacity).finish();
    }
    truncated = shared_block.bytes > capacity;
  }
  trace::last_byte();
  container.queue().leave(shared_blocks.sequence);
  return truncated;
}

}  // namespace

VariableOutcome hybrid_scatterv(Container& container, MPI_Comm comm, RankBlocks* all,
                                RankBlocks* mine, int root) {
  SendBuffers* const send_buffers = container.send_buffers(comm);
  if (!send_buffers) return VariableOutcome::kNotDone;
  const bool truncated = container.rank() == root
                             ? ScatterRoot(container, *send_buffers, *all).run(mine)
                             : take(container, *send_buffers, *mine);
  if (mine) mine->finish();
  return truncated ? VariableOutcome::kTruncated : VariableOutcome::kDone;
}

}  // namespace mpiactor
