// Scatter: the root gives every node the blocks of its members, to whoever of them comes first, and
// that one lays them down for the others. Who leads is found as in a broadcast.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "actor/collectives/direct_scatter.h"
#include "actor/collectives/hybrid.h"
#include "actor/collectives/meeting.h"
#include "actor/collectives/node_exchange.h"
#include "actor/collectives/operation.h"
#include "actor/collectives/others_blocks.h"
#include "actor/collectives/request_leaders.h"
#include "actor/container/progress.h"
#include "actor/container/world.h"
#include "actor/trace/counters.h"
#include "actor/trace/span.h"
#include "inter/engine.h"

namespace mpiactor {
namespace {

// Bytes [offset, offset + bytes) of every block.
class ScatterPart {
 public:
  ScatterPart(Container& container, std::uint64_t offset, std::uint64_t bytes, int root)
      : container_(container),
        nodes_(container.nodes()),
        offset_(offset),
        bytes_(bytes),
        root_(root),
        root_node_(nodes_.node_of(root)),
        leaders_(nodes_, root, container.policy()),
        sequence_(container.next_sequence()),
        push_limit_(container.scatter_push_limit(container.is_competitive())) {
    if (container_.drops().size() != 0) container_.drops().sweep();
  }

  // `left`: the blocks of which members of this node it shall be.
  void give(RankBlocks& all, RankBlocks* mine, const LeftBlocks& left);
  void take(RankBlocks& mine);

 private:
  std::uint64_t node_bytes(int node) const { return nodes_.members(node).size() * bytes_; }
  bool several_nodes() const { return nodes_.nodes() > 1; }
  bool is_pushed() const {
    return static_cast<std::uint64_t>(nodes_.most_members()) * bytes_ <= push_limit_ &&
           !is_announced_anyway(sequence_);
  }
  // What the leader here receives, in the node's memory.
  inter::Plan receive_plan() const {
    const Transfer from_root{root_node_, 0, node_bytes(container_.node())};
    return exchange_plan(container_.node(), nodes_.nodes(), {}, {&from_root, 1});
  }
  std::byte* take_memory();
  void lay_down(RankBlocks& all, const LeftBlocks& left);
  inter::EngineSetup setup(const inter::Plan& plan, std::byte* buffer, std::uint64_t bytes);
  void finish(inter::Engine& engine);
  void expect_leaders_messages();

  Container& container_;
  const NodeMap& nodes_;
  std::uint64_t offset_;
  std::uint64_t bytes_;
  int root_;
  int root_node_;
  RequestLeaders leaders_;
  std::uint64_t sequence_;
  std::uint64_t push_limit_;
};

// Leader: memory for the blocks of the node's members.
std::byte* ScatterPart::take_memory() {
  competition::Slot& slot = container_.queue().slot(sequence_);
  const std::uint64_t bytes = node_bytes(container_.node());
  slot.description = {};
  slot.description.sequence = sequence_;
  slot.description.bytes = bytes;
  if (bytes <= competition::kInlineBytes) return slot.inline_bytes;
  const auto offset = container_.allocate_staging(sequence_, bytes);
  if (!offset) throw std::logic_error("no staging, though all ranks have agreed on it");
  slot.description.log_offset = *offset;
  slot.description.staging_offset = *offset;
  slot.description.staging_bytes = bytes;
  return container_.staging(*offset);
}

inter::EngineSetup ScatterPart::setup(const inter::Plan& plan, std::byte* buffer,
                                      std::uint64_t bytes) {
  inter::EngineSetup setup;
  setup.comm = container_.inter_comm();
  setup.plan = &plan;
  setup.leaders = &leaders_;
  setup.node = container_.node();
  setup.rank = container_.rank();
  setup.sequence = container_.message_number(sequence_);
  setup.message_bytes = bytes_ * static_cast<std::uint64_t>(nodes_.ranks());
  setup.buffer = buffer;
  setup.capacity = bytes;
  setup.push = is_pushed();
  setup.push_patience_us = kPushPatienceUs;
  setup.segment_bytes = bytes;
  setup.window = world()->settings.window;
  trace::algorithm("direct");
  return setup;
}

void ScatterPart::finish(inter::Engine& engine) {
  work_until([&] { return engine.done(); }, [&] { return engine.progress(); });
  engine.leave(container_.drops());
}

// The blocks of the root's own node.
void ScatterPart::lay_down(RankBlocks& all, const LeftBlocks& left) {
  if (container_.members() == 1) return;
  std::byte* memory = take_memory();
  for (int member = 0; member < container_.members(); ++member) {
    const int rank = nodes_.members(root_node_)[static_cast<std::size_t>(member)];
    if (rank != root_ && left.has(member)) all.lay_down(rank, offset_, bytes_, memory);
    memory += bytes_;
  }
  container_.queue().publish(sequence_, 1);
}

void ScatterPart::give(RankBlocks& all, RankBlocks* mine, const LeftBlocks& left) {
  competition::RequestQueue& queue = container_.queue();
  ++trace::counters().led;
  trace::led();
  trace::first_byte();
  queue.lead(sequence_);
  if (several_nodes()) {
    OthersBlocks others(nodes_, root_node_, all, offset_, bytes_);
    others.pack();
    const inter::Plan plan = exchange_plan(root_node_, nodes_.nodes(), others.transfers(), {});
    inter::Engine engine(setup(plan, others.buffer(), others.buffer_bytes()));
    // While blocks for nodes whose leaders have come are under way.
    engine.progress();
    lay_down(all, left);
    finish(engine);
  } else {
    lay_down(all, left);
  }
  trace::last_byte();
  queue.leave(sequence_);
  if (mine) {
    mine->write(0, offset_, bytes_, all.packed(root_) + offset_);
  }
}

void ScatterPart::take(RankBlocks& mine) {
  competition::RequestQueue& queue = container_.queue();
  if (leaders_.takes_leadership(container_, sequence_)) {
    ++trace::counters().led;
    trace::led();
    std::byte* const memory = take_memory();
    const inter::Plan plan = receive_plan();
    inter::Engine engine(setup(plan, memory, node_bytes(container_.node())));
    finish(engine);
    queue.slot(sequence_).description.copied_receives = engine.copied_receives();
    queue.publish(sequence_, 1);
  } else {
    queue.wait_published(sequence_, 0);
    expect_leaders_messages();
  }
  trace::first_byte();
  competition::Slot& slot = queue.slot(sequence_);
  const std::byte* const memory = slot.description.staging_bytes == 0
                                      ? slot.inline_bytes
                                      : container_.staging(slot.description.staging_offset);
  mine.write(0, offset_, bytes_, memory + static_cast<std::uint64_t>(container_.member()) * bytes_);
  trace::last_byte();
  queue.leave(sequence_);
}

// A member that might have led, but did not: messages for the leader come to it too.
void ScatterPart::expect_leaders_messages() {
  if (container_.node() == root_node_ || !leaders_.may_lead(container_.node(), container_.rank()))
    return;
  if (!is_pushed()) return;  // the root announces nothing, and nobody else sends
  const std::uint64_t copied = container_.queue().slot(sequence_).description.copied_receives;
  if (copied == 0) return;
  inter::expect_copies(container_.drops(), container_.message_number(sequence_), copied,
                       node_bytes(container_.node()));
}

// On one node, where all blocks together lie in the request's slot: all that the shortest need.
// Ranks are members there.
void give_in_slot(Container& container, std::uint64_t bytes, RankBlocks& all, RankBlocks* mine) {
  const std::uint64_t sequence = container.next_sequence();
  competition::RequestQueue& queue = container.queue();
  ++trace::counters().led;
  trace::led();
  trace::first_byte();
  queue.lead(sequence);
  competition::Slot& slot = queue.slot(sequence);
  slot.description = {};
  slot.description.sequence = sequence;
  std::byte* block = slot.inline_bytes;
  for (int rank = 0; rank < container.members(); ++rank, block += bytes) {
    if (rank != container.rank()) all.lay_down(rank, 0, bytes, block);
  }
  queue.publish(sequence, 1);
  trace::last_byte();
  queue.leave(sequence);
  if (mine) mine->write(0, 0, bytes, all.packed(container.rank()));
}

void take_from_slot(Container& container, std::uint64_t bytes, RankBlocks& mine) {
  const std::uint64_t sequence = container.next_sequence();
  competition::RequestQueue& queue = container.queue();
  queue.wait_published(sequence, 0);
  trace::first_byte();
  mine.write(
      0, 0, bytes,
      queue.slot(sequence).inline_bytes + static_cast<std::uint64_t>(container.member()) * bytes);
  trace::last_byte();
  queue.leave(sequence);
}

bool fits_slot(const Container& container, std::uint64_t bytes) {
  return container.nodes().nodes() == 1 &&
         bytes * static_cast<std::uint64_t>(container.members()) <= competition::kInlineBytes;
}

}  // namespace

bool hybrid_scatter(Container& container, MPI_Comm comm, std::uint64_t bytes, RankBlocks* all,
                    RankBlocks* mine, int root) {
  if (fits_slot(container, bytes)) {
    if (container.rank() == root) {
      give_in_slot(container, bytes, *all, mine);
    } else {
      take_from_slot(container, bytes, *mine);
    }
    if (mine) mine->finish();
    return true;
  }
  const auto most = static_cast<std::uint64_t>(container.nodes().most_members());
  const std::uint64_t room = container.nodes().nodes() == 1 ? kCachedRoom : kRoomBetweenNodes;
  const std::uint64_t part = request_room(container, comm, most * bytes, room) / most;
  if (part == 0 || container.nodes().nodes() > inter::kMaxChannels) return false;
  LeftBlocks left;
  if (goes_directly(CallFacts::scatter(root, bytes), container)) {
    left = direct_scatter(container, bytes, all, mine, root);
    if (container.rank() == root && mine) mine->finish(), mine = nullptr;
  }
  for (std::uint64_t offset = 0; left.any && offset < bytes; offset += part) {
    if (!left.has(container.member()) && container.rank() != root) {
      const std::uint64_t sequence = container.next_sequence();
      container.queue().wait_published(sequence, 0);  // HandOver::any_left() says why
      container.queue().leave(sequence);
      continue;
    }
    ScatterPart call(container, offset, std::min(part, bytes - offset), root);
    if (container.rank() == root) {
      call.give(*all, mine, left);
    } else {
      call.take(*mine);
    }
  }
  if (mine) mine->finish();
  return true;
}

}  // namespace mpiactor
