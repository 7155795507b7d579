// Gatherv: the root alone knows all sizes, the others their own. Members lay their blocks down and
// go on. On the root's node the root takes them, each from its shared block; on another node the
// last member to arrive sends them to the root, after a block message that says how long they are.
//
// A block that is longer than a member's buffer goes through a ring on the root's node. From
// another node blocks of some sizes are sent by their owners (block_message.h). Each call is one
// request on every node, whatever the sizes, so that sequence numbers stay equal everywhere.
#include <cstring>
#include <utility>
#include <vector>

#include "actor/between/block_message.h"
#include "actor/between/node_exchange.h"
#include "actor/between/point_to_point.h"
#include "actor/collectives/collectives.h"
#include "actor/collectives/gatherv_root.h"
#include "actor/collectives/operation.h"
#include "actor/container/progress.h"
#include "actor/container/world.h"
#include "actor/node/shared_blocks.h"
#include "actor/trace/counters.h"
#include "actor/trace/span.h"

namespace mpiactor {
namespace {

// All but the root.
class GatherGiver {
 public:
  GatherGiver(const CallFacts& call, Container& container, SendBuffers& send_buffers,
              RankBlocks& mine)
      : call_(call),
        container_(container),
        shared_blocks_{container, send_buffers, container.next_sequence()},
        shared_block_(shared_blocks_.of(container.member())),
        mine_(mine),
        root_(call.root()) {}

  void run() {
    container_.queue().enter(shared_blocks_.sequence);
    if (container_.node() == container_.nodes().node_of(root_)) {
      give_to_root();
    } else {
      give_to_node();
    }
    container_.queue().leave(shared_blocks_.sequence);
  }

 private:
  std::uint64_t bytes() const { return mine_.bytes(0); }
  std::uint64_t take_room() {
    return SharedBlocks::is_short(bytes())
               ? 0
               : shared_blocks_.send_buffers.take(shared_blocks_.sequence, bytes());
  }
  void give_to_root() {
    if (!SharedBlocks::is_short(bytes()) && block_goes_directly(call_, bytes(), container_) &&
        fill_room(shared_blocks_, shared_block_, mine_, 0)) {
      ++trace::counters().single_copy;
      arrive_at_root();
    } else if (shared_blocks_.fits_buffer(bytes())) {
      give(shared_blocks_, shared_block_, mine_, 0, take_room());
      arrive_at_root();
    } else {
      RingGiver ring(shared_blocks_, shared_block_, mine_, 0, true);
      arrive_at_root();
      ring.finish();
    }
  }
  void arrive_at_root() {
    const auto givers = static_cast<std::uint64_t>(container_.members()) - 1;
    if (world()->crowded) container_.queue().arrive(shared_blocks_.sequence, givers);
  }
  void give_to_node();
  void send_own(PointToPoint& p2p);
  void send_nodes(PointToPoint& p2p);

  const CallFacts& call_;
  Container& container_;
  SharedBlocks shared_blocks_;
  SharedBlock& shared_block_;
  RankBlocks& mine_;
  int root_;
};

void GatherGiver::give_to_node() {
  if (travels_alone(bytes(), shared_blocks_.send_buffers.buffer_bytes(),
                    !world()->settings.never_worse)) {
    shared_block_.kind = SharedBlockKind::kNetwork;
    shared_block_.bytes = bytes();
  } else {
    lay_down(shared_blocks_, shared_block_, mine_, 0, take_room());
  }
  const auto members = static_cast<std::uint64_t>(container_.members());
  const bool last = container_.queue().arrive(shared_blocks_.sequence, members) == members;
  PointToPoint p2p(container_, shared_blocks_.sequence);
  if (last) send_nodes(p2p);
  if (shared_block_.kind == SharedBlockKind::kNetwork) send_own(p2p);
  work_until([&] { return p2p.all_done(); }, [&] { return p2p.progress(); });
}

void GatherGiver::send_own(PointToPoint& p2p) {
  if (const std::byte* const packed = mine_.contiguous(0)) {
    p2p.send(packed, bytes(), root_, PointToPoint::Kind::kOwnBlock,
             container_.collector_pace().must_wait_for_receiver());
    return;
  }
  std::vector<std::byte> packed(bytes());
  mine_.read(0, 0, bytes(), packed.data());
  p2p.send(std::move(packed), root_, PointToPoint::Kind::kOwnBlock,
           container_.collector_pace().must_wait_for_receiver());
}

// Everything that lies on this node. Nothing where nobody gives anything.
void GatherGiver::send_nodes(PointToPoint& p2p) {
  std::uint64_t total = 0;
  std::uint64_t joined_bytes = static_cast<std::uint64_t>(container_.members()) * sizeof total;
  for (int member = 0; member < container_.members(); ++member) {
    const std::uint64_t bytes = shared_blocks_.of(member).bytes;
    total += bytes;
    if (bytes <= kJoinedBlockBytes) joined_bytes += bytes;
  }
  if (total == 0) return;
  trace::led();
  const auto lies_at = [&](const SharedBlock& shared_block) {
    return shared_block.kind == SharedBlockKind::kInline
               ? shared_block.inline_bytes
               : shared_blocks_.send_buffers.memory(shared_block.owner, shared_block.offset);
  };
  BlockMessageWriter message(joined_bytes);
  for (int member = 0; member < container_.members(); ++member) {
    message.number(shared_blocks_.of(member).bytes);
  }
  for (int member = 0; member < container_.members(); ++member) {
    const SharedBlock& shared_block = shared_blocks_.of(member);
    if (shared_block.bytes == 0 || shared_block.bytes > kJoinedBlockBytes) continue;
    std::memcpy(message.room(shared_block.bytes), lies_at(shared_block), shared_block.bytes);
  }
  p2p.send(message.take(), root_, PointToPoint::Kind::kBlocks,
           container_.collector_pace().must_wait_for_receiver());
  for (int member = 0; member < container_.members(); ++member) {
    const SharedBlock& shared_block = shared_blocks_.of(member);
    if (shared_block.bytes <= kJoinedBlockBytes || shared_block.kind == SharedBlockKind::kNetwork)
      continue;
    p2p.send(lies_at(shared_block), shared_block.bytes, root_, PointToPoint::Kind::kForwardedBlock);
  }
}

}  // namespace

VariableOutcome hybrid_gatherv(const CallFacts& call, Container& container, MPI_Comm comm,
                               RankBlocks* mine, RankBlocks* all) {
  SendBuffers* const send_buffers = container.send_buffers(comm);
  if (!send_buffers) return VariableOutcome::kNotDone;
  if (container.rank() != call.root()) {
    GatherGiver(call, container, *send_buffers, *mine).run();
    return VariableOutcome::kDone;
  }
  return collect_variable(call, container, *send_buffers, mine, *all) ? VariableOutcome::kTruncated
                                                                      : VariableOutcome::kDone;
}

}  // namespace mpiactor
