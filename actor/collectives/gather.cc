// Gather. Of short blocks it is a gatherv in which all give as much. Longer ones: members lay
// theirs down and go on. On the root's node the root picks them up; on another node the last to
// arrive sends the node's blocks to the root in one message.
#include <algorithm>

#include "actor/between/node_exchange.h"
#include "actor/between/others_blocks.h"
#include "actor/collectives/call_memory.h"
#include "actor/collectives/collectives.h"
#include "actor/container/world.h"
#include "actor/node/meeting.h"
#include "actor/shm/cache_line.h"

namespace mpiactor {
namespace {

// Bytes [offset, offset + bytes) of every block.
class GatherPart {
 public:
  GatherPart(Container& container, std::uint64_t offset, std::uint64_t bytes, int root)
      : container_(container),
        nodes_(container.nodes()),
        offset_(offset),
        bytes_(bytes),
        root_(root),
        root_node_(nodes_.node_of(root)),
        members_(static_cast<std::uint64_t>(container.members())),
        collectors_(nodes_, root),
        meeting_(container, members_ * bytes) {}

  void give(RankBlocks& mine) {
    const auto me = static_cast<std::uint64_t>(container_.member());
    mine.lay_down(0, offset_, bytes_, meeting_.memory() + me * bytes_);
    const bool last = meeting_.arrive(members_) == members_;
    if (last && container_.node() != root_node_) send_on();
    meeting_.leave();
  }

  void collect(RankBlocks* mine, RankBlocks& all);

 private:
  void pick_up_own_node(RankBlocks& all) {
    const std::byte* memory = meeting_.memory();
    for (const int rank : nodes_.members(root_node_)) {
      if (rank != root_) all.write(rank, offset_, bytes_, memory);
      memory += bytes_;
    }
    meeting_.leave();
  }
  void send_on();
  NodeExchange::Setup exchange(const inter::Plan& plan, std::byte* buffer, std::uint64_t bytes) {
    return {.plan = &plan,
            .leaders = &collectors_,
            .buffer = buffer,
            .bytes = bytes,
            .segment_bytes = bytes};
  }

  Container& container_;
  const NodeMap& nodes_;
  std::uint64_t offset_;
  std::uint64_t bytes_;
  int root_;
  int root_node_;
  std::uint64_t members_;
  Collectors collectors_;
  Meeting meeting_;
};

void GatherPart::send_on() {
  const Transfer to_root{root_node_, 0, members_ * bytes_};
  const inter::Plan plan = exchange_plan(container_.node(), nodes_.nodes(), {&to_root, 1}, {});
  NodeExchange::Setup setup = exchange(plan, meeting_.memory(), members_ * bytes_);
  setup.synchronous = container_.collector_pace().must_wait_for_receiver(meeting_.sequence());
  NodeExchange(container_, meeting_.sequence(), setup).finish();
}

void GatherPart::collect(RankBlocks* mine, RankBlocks& all) {
  if (mine) {
    all.write(root_, offset_, bytes_, mine->packed(0) + offset_);
  }
  meeting_.arrive(members_);
  if (nodes_.nodes() == 1) {
    meeting_.wait_arrived(members_);
    pick_up_own_node(all);
    return;
  }
  // Other nodes' blocks come in while the own node's are waited for.
  OthersBlocks others(nodes_, root_node_, all, offset_, bytes_);
  const inter::Plan plan = exchange_plan(container_.node(), nodes_.nodes(), {}, others.transfers());
  NodeExchange receives(container_, meeting_.sequence(),
                        exchange(plan, others.buffer(), others.buffer_bytes()));
  meeting_.wait_arrived(members_, [&] { return receives.progress(); });
  pick_up_own_node(all);
  receives.finish();
  others.unpack();
}

// Bytes of each block that one request moves, at most `most`. With a core for each rank the root
// picks one part up while the others lay the next one down; between nodes, and where ranks take
// turns on a core, each request would cost a message, or changes of context.
std::uint64_t part_bytes(const Container& container, std::uint64_t block_bytes,
                         std::uint64_t most) {
  constexpr std::uint64_t kParts = 2;  // more were measured to be slower
  constexpr std::uint64_t kLeastBytes = 128 << 10;
  if (container.nodes().nodes() > 1 || world()->crowded) return most;
  return std::min(most, std::max(shm::round_to_lines(block_bytes / kParts), kLeastBytes));
}

}  // namespace

VariableOutcome hybrid_gather(Container& container, MPI_Comm comm, std::uint64_t bytes,
                              RankBlocks* mine, RankBlocks* all, int root) {
  const CallFacts call = CallFacts::gather(root, bytes);
  if (needs_send_buffers(call, container)) return hybrid_gatherv(call, container, comm, mine, all);
  const CallMemory memory = memory_of(call, container);
  const std::uint64_t part =
      part_bytes(container, bytes, room_for(container, comm, memory) / memory.least);
  if (part == 0 || container.nodes().nodes() > inter::kMaxChannels)
    return VariableOutcome::kNotDone;
  for (std::uint64_t offset = 0; offset < bytes; offset += part) {
    GatherPart gather(container, offset, std::min(part, bytes - offset), root);
    if (container.rank() == root) {
      gather.collect(mine, *all);
    } else {
      gather.give(*mine);
    }
  }
  if (all) all->finish();
  return VariableOutcome::kDone;
}

}  // namespace mpiactor
