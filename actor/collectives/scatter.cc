// Scatter: the root gives every node the blocks of its members, to whoever of them comes first, and
// that one lays them down for the others. Who leads is found as in a broadcast.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "actor/between/node_exchange.h"
#include "actor/between/others_blocks.h"
#include "actor/between/request_leaders.h"
#include "actor/collectives/call_memory.h"
#include "actor/collectives/collectives.h"
#include "actor/collectives/direct_scatter.h"
#include "actor/collectives/operation.h"
#include "actor/container/progress.h"
#include "actor/container/world.h"
#include "actor/node/meeting.h"
#include "actor/trace/span.h"
#include "inter/engine.h"

namespace mpiactor {
namespace {

// What the leader has laid down for each member.
std::uint64_t laid_down_bytes(Container& container, std::uint64_t sequence) {
  return container.queue().slot(sequence).description.bytes /
         static_cast<std::uint64_t>(container.members());
}

// Takes this member's bytes and leaves the request. Returns whether they are more than there is
// room for.
bool pick_up(Container& container, std::uint64_t sequence, RankBlocks& mine, std::uint64_t offset,
             std::uint64_t room) {
  trace::first_byte();
  const competition::Slot& slot = container.queue().slot(sequence);
  const std::uint64_t given = laid_down_bytes(container, sequence);
  const std::byte* const memory = slot.description.staging_bytes == 0
                                      ? slot.inline_bytes
                                      : container.staging(slot.description.staging_offset);
  mine.write(0, offset, std::min(room, given),
             memory + static_cast<std::uint64_t>(container.member()) * given);
  trace::last_byte();
  container.queue().leave(sequence);
  return given > room;
}

// Bytes [offset, offset + bytes) of every block.
//
// What the root gives counts: a rank that believes in another size, in a wrong program, learns it
// from its leader, and a leader as in a broadcast. The parts of longer blocks are cut by what each
// rank believes.
class ScatterPart {
 public:
  ScatterPart(Container& container, std::uint64_t offset, std::uint64_t bytes, int root)
      : container_(container),
        nodes_(container.nodes()),
        offset_(offset),
        bytes_(bytes),
        root_(root),
        root_node_(nodes_.node_of(root)),
        leaders_(nodes_, root, container.policy(), RootsNode::kRoot),
        sequence_(container.next_sequence()),
        push_limit_(container.scatter_push_limit(container.is_competitive())) {
    if (container_.drops().size() != 0) container_.drops().sweep();
  }

  // `left`: the blocks of which members of this node it shall be.
  void give(RankBlocks& all, RankBlocks* mine, const LeftBlocks& left);
  // Returns whether the root gives more than there is room for.
  bool take(RankBlocks& mine);

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
  void receive();
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
  slot.description = {.sequence = sequence_, .bytes = bytes};
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
  setup.ranks = &container_.inter_ranks();
  setup.plan = &plan;
  setup.leaders = &leaders_;
  setup.node = container_.node();
  setup.rank = container_.rank();
  setup.sequence = container_.message_number(sequence_);
  setup.message_bytes = bytes_ * static_cast<std::uint64_t>(nodes_.ranks());
  setup.buffer = buffer;
  setup.capacity = bytes;
  setup.push = is_pushed();
  setup.longest_push_bytes = push_limit_;
  setup.notices = container_.notices();
  setup.segment_bytes = bytes;
  setup.window = world()->settings.window;
  trace::algorithm("direct");
  return setup;
}

void ScatterPart::finish(inter::Engine& engine) {
  work_until([&] { return engine.done(); }, [&] { return engine.progress(); });
  if (!engine.true_bytes()) engine.leave(container_.drops());
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
  container_.queue().publish(sequence_, kLaidDown);
}

void ScatterPart::give(RankBlocks& all, RankBlocks* mine, const LeftBlocks& left) {
  competition::RequestQueue& queue = container_.queue();
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

// Leader of another node than the root's.
void ScatterPart::receive() {
  inter::Carried carried;
  for (;;) {
    std::byte* const memory = take_memory();
    const inter::Plan plan = receive_plan();
    inter::EngineSetup receiving = setup(plan, memory, node_bytes(container_.node()));
    receiving.carried = &carried;
    inter::Engine engine(std::move(receiving));
    finish(engine);
    if (!engine.true_bytes()) {
      container_.queue().slot(sequence_).description.copied_receives = engine.copied_receives();
      return;
    }
    bytes_ = *engine.true_bytes() / static_cast<std::uint64_t>(nodes_.ranks());
    carried = engine.carry();
  }
}

bool ScatterPart::take(RankBlocks& mine) {
  competition::RequestQueue& queue = container_.queue();
  const std::uint64_t room = bytes_;
  if (leaders_.takes_leadership(container_, sequence_)) {
    trace::led();
    receive();
    queue.publish(sequence_, 1);
  } else {
    queue.wait_published(sequence_, 0);
    bytes_ = laid_down_bytes(container_, sequence_);
    expect_leaders_messages();
  }
  return pick_up(container_, sequence_, mine, offset_, room);
}

// A member that might have led, but did not: messages for the leader come to it too.
void ScatterPart::expect_leaders_messages() {
  if (container_.node() == root_node_ || !leaders_.may_lead(container_.node(), container_.rank()))
    return;
  if (!is_pushed()) {  // the root announces nothing, and nobody else sends
    container_.notices()->leave(container_.message_number(sequence_));
    return;
  }
  const std::uint64_t copied = container_.queue().slot(sequence_).description.copied_receives;
  if (copied == 0) return;
  inter::expect_copies(container_.drops(), container_.message_number(sequence_), copied,
                       std::max(push_limit_, node_bytes(container_.node())));
}

// On one node, where all blocks together lie in the request's slot: all that the shortest need.
// Ranks are members there.
void give_in_slot(Container& container, std::uint64_t bytes, RankBlocks& all, RankBlocks* mine) {
  const std::uint64_t sequence = container.next_sequence();
  competition::RequestQueue& queue = container.queue();
  trace::led();
  trace::first_byte();
  queue.lead(sequence);
  competition::Slot& slot = queue.slot(sequence);
  slot.description = {.sequence = sequence,
                      .bytes = bytes * static_cast<std::uint64_t>(container.members())};
  std::byte* block = slot.inline_bytes;
  for (int rank = 0; rank < container.members(); ++rank, block += bytes) {
    if (rank != container.rank()) all.lay_down(rank, 0, bytes, block);
  }
  queue.publish(sequence, kLaidDown);
  trace::last_byte();
  queue.leave(sequence);
  if (mine) mine->write(0, 0, bytes, all.packed(container.rank()));
}

bool fits_slot(const Container& container, std::uint64_t bytes) {
  return container.nodes().nodes() == 1 &&
         bytes * static_cast<std::uint64_t>(container.members()) <= competition::kInlineBytes;
}

}  // namespace

bool scatter_need_not_wait(Container& container, std::uint64_t bytes, int root) {
  if (!fits_slot(container, bytes)) return false;
  competition::RequestQueue& queue = container.queue();
  const std::uint64_t sequence = container.upcoming_sequence();
  if (container.rank() == root) return queue.is_free(sequence);
  return queue.published(sequence) == kLaidDown && laid_down_bytes(container, sequence) == bytes;
}

VariableOutcome hybrid_scatter(Container& container, MPI_Comm comm, std::uint64_t bytes,
                               RankBlocks* all, RankBlocks* mine, int root) {
  const bool is_root = container.rank() == root;
  const bool in_slot = fits_slot(container, bytes);
  if (in_slot && is_root) {
    give_in_slot(container, bytes, *all, mine);
    if (mine) mine->finish();
    return VariableOutcome::kDone;
  }
  const CallFacts facts = CallFacts::scatter(root, bytes);
  std::uint64_t part = bytes;
  if (!in_slot) {
    const CallMemory memory = memory_of(facts, container);
    part = room_for(container, comm, memory) / memory.least;
    if (part == 0 || container.nodes().nodes() > inter::kMaxChannels)
      return VariableOutcome::kNotDone;
  }
  bool truncated = false;
  LeftBlocks left;
  std::uint64_t offset = 0;
  if (is_root) {
    if (way_of(facts, container) == inter::Way::kSingleCopy) {
      left = give_directly(container, bytes, *all, mine);
      if (mine) mine->finish(), mine = nullptr;
    }
  } else if (container.nodes().nodes() == 1) {
    // What the root gives says how, whatever this rank believes in.
    const std::uint64_t sequence = container.next_sequence();
    if (container.queue().wait_published(sequence, 0) == kLaidDown) {
      truncated = pick_up(container, sequence, *mine, 0, std::min(part, bytes));
      offset = part;
    } else {
      TakenDirectly taken = take_directly(container, sequence, bytes, *mine);
      truncated = taken.truncated;
      left = std::move(taken.left);
    }
  }
  for (; left.any && offset < bytes; offset += part) {
    if (!left.has(container.member()) && !is_root) {
      const std::uint64_t sequence = container.next_sequence();
      container.queue().wait_published(sequence, 0);  // DirectScatter::are_any_left() says why
      container.queue().leave(sequence);
      continue;
    }
    ScatterPart call(container, offset, std::min(part, bytes - offset), root);
    if (is_root) {
      call.give(*all, mine, left);
    } else {
      truncated |= call.take(*mine);
    }
  }
  if (mine) mine->finish();
  return truncated ? VariableOutcome::kTruncated : VariableOutcome::kDone;
}

}  // namespace mpiactor
