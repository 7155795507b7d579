// Alltoall of equal blocks: members lay down what they give, ordered by the node that it is for;
// nodes exchange it in one message each way; members pick up what is theirs.
#include <algorithm>
#include <memory>
#include <vector>

#include "actor/between/between.h"
#include "actor/collectives/call_memory.h"
#include "actor/collectives/collectives.h"
#include "actor/collectives/direct_exchange.h"
#include "actor/collectives/operation.h"
#include "actor/node/meeting.h"
#include "actor/trace/span.h"

namespace mpiactor {
namespace {

class AlltoallPart {
 public:
  // Bytes [offset, offset + bytes) of every block.
  AlltoallPart(Container& container, inter::Way way, std::uint64_t offset, std::uint64_t bytes)
      : container_(container),
        nodes_(container.nodes()),
        offset_(offset),
        bytes_(bytes),
        members_(static_cast<std::uint64_t>(container.members())),
        ranks_(static_cast<std::uint64_t>(nodes_.ranks())),
        choice_(nodes_.nodes() == 1 || way == inter::Way::kDirect
                    ? nullptr
                    : container.choose(inter::Collective::kAlltoall, 0, matrix_bytes())),
        by_distance_(choice_ && choice_->plan.layout == inter::BufferLayout::kByDistance &&
                     nodes_are_equal()),
        meeting_(container, memory_blocks(container) * bytes) {
    if (choice_ && !by_distance_) trace::algorithm(algorithm_with_sizes().name);
  }

  // Blocks that a node's memory holds: what its members give, and what other nodes give them.
  static std::uint64_t memory_blocks(const Container& container) {
    return (container.nodes().nodes() == 1 ? 1 : 2) *
           static_cast<std::uint64_t>(container.members()) *
           static_cast<std::uint64_t>(container.nodes().ranks());
  }

  void run(RankBlocks& send, RankBlocks& recv) {
    give(send);
    if (nodes_.nodes() == 1) {
      meeting_.end_phase(1);
      meeting_.wait_phase(1);
    } else {
      Between(container_, meeting_, {.describe = [this] { return describe(); }}).run_for_all();
    }
    take(recv);
    meeting_.leave();
  }

 private:
  std::uint64_t first(int node) const {
    return static_cast<std::uint64_t>(nodes_.first_position(node));
  }
  std::uint64_t size(int node) const { return nodes_.members(node).size(); }
  bool nodes_are_equal() const {
    return size(0) * static_cast<std::uint64_t>(nodes_.nodes()) == ranks_ &&
           nodes_.most_members() == static_cast<int>(size(0));
  }
  // Of what all nodes give each other, as plans count it.
  std::uint64_t matrix_bytes() const {
    const auto n = static_cast<std::uint64_t>(nodes_.nodes());
    return n * n * std::max<std::uint64_t>(ranks_ * ranks_ * bytes_ / (n * n), 1);
  }
  const inter::Algorithm& algorithm_with_sizes() const {
    const inter::Algorithm* const chosen = choice_ ? choice_->selection.algorithm : nullptr;
    return chosen && chosen->takes_sizes
               ? *chosen
               : *inter::find_algorithm(inter::Collective::kAlltoall, "linear");
  }
  // Blocks from this node's members to `node`'s: a matrix, a row for each member here.
  std::uint64_t given(int node) const {
    return by_distance_ ? slot(place(node) - place(container_.node())) : members_ * first(node);
  }
  int place(int node) const { return container_.torus().position_of(node); }
  // By distance: a slot for each node, see inter::BufferLayout.
  std::uint64_t slot(int distance) const {
    const int nodes = nodes_.nodes();
    return static_cast<std::uint64_t>((distance + nodes) % nodes) * members_ * members_;
  }
  // Blocks from `node`'s members to this node's: a row for each member there. This node's own are
  // in given().
  std::uint64_t taken(int node) const {
    if (by_distance_) return slot(place(container_.node()) - place(node));
    return node == container_.node() ? given(node) : members_ * (ranks_ + first(node));
  }
  std::byte* block(std::uint64_t index) const { return meeting_.memory() + index * bytes_; }

  void give(RankBlocks& send) {
    const auto me = static_cast<std::uint64_t>(container_.member());
    for (int node = 0; node < nodes_.nodes(); ++node) {
      std::uint64_t index = given(node) + me * size(node);
      for (const int rank : nodes_.members(node)) {
        // A member's block for itself is taken from there by no other.
        if (rank == container_.rank()) {
          send.read(rank, offset_, bytes_, block(index++));
        } else {
          send.lay_down(rank, offset_, bytes_, block(index++));
        }
      }
    }
  }
  void take(RankBlocks& recv) {
    std::uint64_t index = 0;
    for (int node = 0; node < nodes_.nodes(); ++node) {
      index = taken(node) + static_cast<std::uint64_t>(container_.member());
      for (const int rank : nodes_.members(node)) {
        recv.write(rank, offset_, bytes_, block(index));
        index += members_;
      }
    }
  }
  NodeExchange::Setup describe();

  Container& container_;
  const NodeMap& nodes_;
  std::uint64_t offset_;
  std::uint64_t bytes_;
  std::uint64_t members_;
  std::uint64_t ranks_;
  std::shared_ptr<const Choice> choice_;  // where not all simply send to all
  bool by_distance_;
  inter::Plan plan_;  // where nodes have buffers of their own
  Meeting meeting_;
};

NodeExchange::Setup AlltoallPart::describe() {
  const std::uint64_t bytes = memory_blocks(container_) * bytes_;
  NodeExchange::Setup setup{.buffer = meeting_.memory(), .bytes = bytes, .segment_bytes = bytes};
  if (by_distance_) {
    setup.plan = &choice_->plan;
    return setup;
  }
  std::vector<inter::ByteRange> gives;
  std::vector<inter::ByteRange> takes;
  for (int node = 0; node < nodes_.nodes(); ++node) {
    gives.push_back({given(node) * bytes_, members_ * size(node) * bytes_});
    takes.push_back({taken(node) * bytes_, members_ * size(node) * bytes_});
  }
  plan_ = container_.alltoall_plan(algorithm_with_sizes(), gives, takes);
  // Both buffers are parts of one memory.
  for (inter::PlanOp& op : plan_.ops) {
    if (op.kind != inter::OpKind::kSend) op.offset -= inter::kTakenBegin;
  }
  setup.plan = &plan_;
  return setup;
}

// On one node, of blocks that come with their ranks' signatures: a row for each member. Ranks are
// members there.
void short_alltoall(Container& container, Meeting::Parts row, RankBlocks& send, RankBlocks& recv) {
  const std::uint64_t bytes = recv.bytes(0);
  const auto begin = [=](int rank) { return static_cast<std::uint64_t>(rank) * bytes; };
  Meeting meeting(container, row);
  std::byte* const mine = meeting.part(container.member());
  for (int to = 0; to < container.members(); ++to) send.lay_down(to, 0, bytes, mine + begin(to));
  meeting.end_phase(1);
  meeting.wait_phase(1);
  for (int from = 0; from < container.members(); ++from)
    recv.write(from, 0, bytes, meeting.part(from) + begin(container.member()));
  meeting.leave();
  recv.finish();
}

}  // namespace

bool hybrid_alltoall(Container& container, MPI_Comm comm, RankBlocks& send, RankBlocks& recv) {
  const std::uint64_t bytes = recv.bytes(0);
  const CallFacts call = CallFacts::alltoall(bytes);
  const inter::Way way = way_of(call, container);
  if (way == inter::Way::kSingleCopy) {
    if (direct_alltoall(container, send, recv)) return true;
    if (!goes_on_in_staging(call, container)) return false;
  }
  if (container.nodes().nodes() == 1) {
    const Meeting::Parts row{static_cast<std::uint64_t>(container.members()) * bytes};
    if (Meeting::comes_signed(row)) {
      short_alltoall(container, row, send, recv);
      return true;
    }
  }
  const CallMemory memory = memory_of(call, container);
  // Of each block, one byte takes as much as the least memory.
  const std::uint64_t part = room_for(container, comm, memory) / memory.least;
  if (part == 0) return false;
  for (std::uint64_t offset = 0; offset < bytes; offset += part) {
    AlltoallPart(container, way, offset, std::min(part, bytes - offset)).run(send, recv);
  }
  recv.finish();
  return true;
}

}  // namespace mpiactor
