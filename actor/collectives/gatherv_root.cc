#include "actor/collectives/gatherv_root.h"

#include <algorithm>
#include <list>
#include <optional>
#include <utility>
#include <vector>

#include "actor/between/block_message.h"
#include "actor/between/block_receiver.h"
#include "actor/between/point_to_point.h"
#include "actor/collectives/operation.h"
#include "actor/container/progress.h"
#include "actor/container/world.h"
#include "actor/node/shared_blocks.h"
#include "actor/trace/span.h"

namespace mpiactor {
namespace {

// The root's own block, copied piece by piece while nothing else is to be done, so that the others
// need not wait for it.
class OwnBlock {
 public:
  // `mine`: nullptr where it is in place.
  OwnBlock(RankBlocks* mine, RankBlocks& all, int rank)
      : mine_(mine),
        all_(all),
        rank_(rank),
        bytes_(mine ? std::min(mine->bytes(0), all.bytes(rank)) : 0),
        is_truncated_(mine && mine->bytes(0) > all.bytes(rank)) {}

  bool done() const { return copied_ == bytes_; }
  bool is_truncated() const { return is_truncated_; }
  void step() {
    constexpr std::uint64_t kPieceBytes = 64 << 10;
    const std::byte* const from = mine_->contiguous(0);
    if (!from || from == all_.contiguous(rank_)) {
      copy_what_fits(*mine_, 0, all_, rank_);
      copied_ = bytes_;
      return;
    }
    const std::uint64_t piece = std::min(kPieceBytes, bytes_ - copied_);
    all_.write(rank_, copied_, piece, from + copied_);
    copied_ += piece;
  }

 private:
  RankBlocks* mine_;
  RankBlocks& all_;
  int rank_;
  std::uint64_t bytes_;
  bool is_truncated_;
  std::uint64_t copied_ = 0;
};

class GatherRoot {
 public:
  GatherRoot(const CallFacts& call, Container& container, SendBuffers& send_buffers,
             RankBlocks& all)
      : call_(call),
        container_(container),
        nodes_(container.nodes()),
        shared_blocks_{container, send_buffers, container.next_sequence()},
        all_(all),
        p2p_(container, shared_blocks_.sequence),
        receiver_(p2p_, all) {}

  // Returns whether somebody has sent more than there is room for.
  bool run(RankBlocks* mine);

 private:
  bool expects(int rank) const { return all_.bytes(rank) != 0 && rank != container_.rank(); }
  bool sent_by_owner(std::uint64_t bytes) const {
    return travels_alone(bytes, shared_blocks_.send_buffers.buffer_bytes(),
                         !world()->settings.never_worse);
  }
  std::uint64_t givers() const { return static_cast<std::uint64_t>(container_.members()) - 1; }
  void open_room(int member, int rank);
  void open_takers();
  void expect_messages();
  bool read_messages();
  void read_message(int from, const std::byte* message);
  bool take_from_node();
  bool is_done() const { return takers_.empty() && messages_ == 0 && receiver_.done(); }

  const CallFacts& call_;
  Container& container_;
  const NodeMap& nodes_;
  SharedBlocks shared_blocks_;
  RankBlocks& all_;
  PointToPoint p2p_;
  std::list<SharedBlockTaker> takers_;
  // Ranks take turns on a core, and all of the node give: one wake-up for all.
  bool waits_for_all_ = false;
  std::vector<bool> awaits_message_;                          // of each node
  int messages_ = 0;                                          // still to be read
  std::optional<std::pair<PointToPoint::Id, int>> arriving_;  // a block message, and from whom
  std::vector<std::byte> message_;
  BlockReceiver receiver_;
  bool truncated_ = false;
};

// Whoever comes later writes its block where it belongs, if that is long.
void GatherRoot::open_room(int member, int rank) {
  const std::uint64_t bytes = all_.bytes(rank);
  if (SharedBlocks::is_short(bytes) || !block_goes_directly(call_, bytes, container_)) return;
  std::byte* const place = all_.contiguous(rank);
  // A member that has not left the slot's last request may still look for a room there.
  if (!place || !container_.queue().is_free(shared_blocks_.sequence)) return;
  shared_blocks_.of(member).room.open(shared_blocks_.sequence, place, bytes);
}

void GatherRoot::open_takers() {
  const inter::RankList members = nodes_.members(container_.node());
  for (int member = 0; member < container_.members(); ++member) {
    const int rank = members[static_cast<std::size_t>(member)];
    if (expects(rank)) {
      open_room(member, rank);
      takers_.emplace_back(shared_blocks_, shared_blocks_.of(member), all_, rank, all_.bytes(rank));
    }
  }
  waits_for_all_ = world()->crowded && givers() != 0 && takers_.size() == givers();
}

// Blocks that their owners send need not wait for the block message of their node.
void GatherRoot::expect_messages() {
  awaits_message_.resize(static_cast<std::size_t>(nodes_.nodes()));
  for (int node = 0; node < nodes_.nodes(); ++node) {
    if (node == container_.node()) continue;
    bool gives = false;
    for (const int rank : nodes_.members(node)) {
      gives |= expects(rank);
      if (sent_by_owner(all_.bytes(rank)))
        receiver_.expect(rank, rank, PointToPoint::Kind::kOwnBlock);
    }
    awaits_message_[static_cast<std::size_t>(node)] = gives;
    messages_ += gives;
  }
}

// All that have come by now.
bool GatherRoot::read_messages() {
  bool any = false;
  while (messages_ != 0) {
    if (!arriving_) {
      auto message = p2p_.find(PointToPoint::Kind::kBlocks, MPI_ANY_SOURCE);
      if (!message) break;
      message_.resize(message->bytes);
      arriving_ = {p2p_.receive(*message, message_.data()), message->rank};
      p2p_.progress();
      any = true;
    }
    if (!p2p_.is_done(arriving_->first)) break;
    const int from = arriving_->second;
    const auto node = static_cast<std::size_t>(nodes_.node_of(from));
    arriving_.reset();
    messages_ -= awaits_message_[node];
    awaits_message_[node] = false;
    read_message(from, message_.data());
    any = true;
  }
  return any;
}

// What the owners say of their blocks holds, also where the root believes otherwise.
void GatherRoot::read_message(int from, const std::byte* message) {
  trace::first_byte();
  const inter::RankList members = nodes_.members(nodes_.node_of(from));
  BlockMessageReader sizes(message);
  BlockMessageReader blocks(message + members.size() * sizeof(std::uint64_t));
  for (const int rank : members) {
    const std::uint64_t bytes = sizes.number();
    if (sent_by_owner(bytes)) {
      receiver_.expect(rank, rank, PointToPoint::Kind::kOwnBlock);
    } else if (bytes > kJoinedBlockBytes) {
      receiver_.expect(rank, from, PointToPoint::Kind::kForwardedBlock);
    } else {
      receiver_.give_up(rank);
      truncated_ |= bytes > all_.bytes(rank);
      all_.write(rank, 0, std::min(bytes, all_.bytes(rank)), blocks.bytes(bytes));
    }
  }
}

// What is there by now. True where there was anything.
bool GatherRoot::take_from_node() {
  if (waits_for_all_ && !container_.queue().has_arrived(shared_blocks_.sequence, givers()))
    return false;
  bool any = false;
  for (SharedBlockTaker& taker : takers_) any |= taker.step();
  std::erase_if(takers_, [&](const SharedBlockTaker& taker) {
    truncated_ |= taker.done() && taker.is_truncated();
    return taker.done();
  });
  return any;
}

bool GatherRoot::run(RankBlocks* mine) {
  if (container_.drops().size() != 0) container_.drops().sweep();
  open_takers();
  if (nodes_.nodes() > 1) {
    trace::led();
    trace::algorithm("direct");
    expect_messages();
  }
  OwnBlock own(mine, all_, container_.rank());
  truncated_ = own.is_truncated();
  if (messages_ == 0) {
    while (!own.done()) {
      if (!take_from_node()) own.step();
    }
    if (waits_for_all_) container_.queue().wait_arrived(shared_blocks_.sequence, givers());
    for (SharedBlockTaker& taker : takers_) {
      taker.finish();
      truncated_ |= taker.is_truncated();
    }
  } else {
    work_until([&] { return is_done() && own.done(); },
               [&] {
                 bool any = p2p_.progress();
                 any |= read_messages();
                 any |= receiver_.step();
                 any |= take_from_node();
                 if (any || own.done()) return any;
                 own.step();
                 return true;
               });
    trace::last_byte();
  }
  container_.queue().leave(shared_blocks_.sequence);
  all_.finish();
  return truncated_ || receiver_.any_truncated();
}

}  // namespace

bool collect_variable(const CallFacts& call, Container& container, SendBuffers& send_buffers,
                      RankBlocks* mine, RankBlocks& all) {
  return GatherRoot(call, container, send_buffers, all).run(mine);
}

}  // namespace mpiactor
