#include "actor/collectives/direct_scatter.h"

#include <algorithm>

#include "actor/competition/request_queue.h"
#include "actor/node/offers.h"
#include "actor/trace/counters.h"

namespace mpiactor {
namespace {

// Which blocks are left, as far as this member knows.
template <typename IsLeft>
LeftBlocks left_blocks(const Container& container, bool any, IsLeft is_left) {
  if (!any) ++trace::counters().single_copy;
  LeftBlocks left{.any = any,
                  .of_member = std::vector<bool>(static_cast<std::size_t>(container.members()))};
  for (int member = 0; any && member < container.members(); ++member) {
    left.of_member[static_cast<std::size_t>(member)] = is_left(member);
  }
  return left;
}

// One for each member, in the request's slot. No two share a cache line.
struct alignas(64) Line {
  Offer offer;
};

class DirectScatter {
 public:
  DirectScatter(Container& container, std::uint64_t sequence)
      : container_(container),
        sequence_(sequence),
        lines_(reinterpret_cast<Line*>(container.queue().slot(sequence).inline_bytes)) {}

  LeftBlocks give(std::uint64_t bytes, RankBlocks& all, RankBlocks* mine);
  TakenDirectly take(std::uint64_t room, RankBlocks& mine);

 private:
  // Of the request: that there is something to be read, and how it ended.
  enum Publication : std::uint64_t {
    kOffered = kLaidDown + 1,
    kAllTaken,
    kSomeLeft,
  };

  void offer(const std::byte* blocks, std::uint64_t bytes);
  bool take_in_time(std::byte* to, std::uint64_t bytes);
  bool are_any_left(bool has_taken);

  Container& container_;
  std::uint64_t sequence_;
  Line* lines_;
  std::vector<Offer*> offers_;  // root: to all others
};

// nullptr: nothing can be read.
void DirectScatter::offer(const std::byte* blocks, std::uint64_t bytes) {
  for (int member = 0; member < container_.members(); ++member) {
    if (member == container_.member()) continue;
    Offer& offer = lines_[member].offer;
    // All ranks are on this node: a member's index is its rank.
    offer.open(sequence_, blocks ? blocks + static_cast<std::uint64_t>(member) * bytes : nullptr);
    if (!blocks) offer.take_back(sequence_);
    offers_.push_back(&offer);
  }
  if (blocks) container_.queue().publish(sequence_, kOffered);
}

LeftBlocks DirectScatter::give(std::uint64_t bytes, RankBlocks& all, RankBlocks* mine) {
  container_.queue().lead(sequence_);
  container_.queue().slot(sequence_).description = {.sequence = sequence_, .bytes = bytes};
  offer(all.contiguous(0), bytes);
  if (mine) copy_block(*mine, 0, all, container_.rank());
  close_offers(offers_, sequence_, bytes * offers_.size());
  const auto is_taken = [this](const Offer* offer) { return offer->is_taken(sequence_); };
  const bool all_taken = std::all_of(offers_.begin(), offers_.end(), is_taken);
  container_.queue().publish(sequence_, all_taken ? kAllTaken : kSomeLeft);
  const LeftBlocks left = left_blocks(container_, !all_taken, [&](int member) {
    return member != container_.member() && !is_taken(&lines_[member].offer);
  });
  container_.queue().leave(sequence_);
  return left;
}

// False: it is too late for that, there is nothing to be read or nowhere to put it, or the system
// has refused.
bool DirectScatter::take_in_time(std::byte* to, std::uint64_t bytes) {
  Offer& offer = lines_[container_.member()].offer;
  if (!to) {
    offer.take_back(sequence_);
    return false;
  }
  return offer.claim(sequence_) && offer.read(sequence_, to, bytes);
}

// Another member than the root.
//
// Who has its bytes must see the next request published before it leaves it, too: it may be the
// next to take staging, and must know what others have taken.
bool DirectScatter::are_any_left(bool has_taken) {
  if (!has_taken) return true;
  if (container_.members() == 2) return false;  // there is nobody else
  return container_.queue().wait_published(sequence_, kOffered) == kSomeLeft;
}

// What the root gives counts: a rank may believe in another size, in a wrong program.
TakenDirectly DirectScatter::take(std::uint64_t room, RankBlocks& mine) {
  const std::uint64_t given = container_.queue().slot(sequence_).description.bytes;
  const bool has_taken = take_in_time(mine.contiguous(0), std::min(given, room));
  const LeftBlocks left = left_blocks(container_, are_any_left(has_taken), [&](int member) {
    return member == container_.member() && !has_taken;
  });
  container_.queue().leave(sequence_);
  return {.left = left, .truncated = has_taken && given > room};
}

}  // namespace

bool fits_direct_scatter(const Container& container) {
  return static_cast<std::uint64_t>(container.members()) * sizeof(Line) <=
         competition::kInlineBytes;
}

LeftBlocks give_directly(Container& container, std::uint64_t bytes, RankBlocks& all,
                         RankBlocks* mine) {
  return DirectScatter(container, container.next_sequence()).give(bytes, all, mine);
}

TakenDirectly take_directly(Container& container, std::uint64_t sequence, std::uint64_t room,
                            RankBlocks& mine) {
  return DirectScatter(container, sequence).take(room, mine);
}

}  // namespace mpiactor
