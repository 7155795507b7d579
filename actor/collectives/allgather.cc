// Allgather, also of blocks of different sizes: members lay their blocks down where they belong in
// the node's common memory, the nodes exchange theirs, everybody copies everything out.
#include <algorithm>
#include <memory>
#include <vector>

#include "actor/between/between.h"
#include "actor/collectives/call_memory.h"
#include "actor/collectives/collectives.h"
#include "actor/collectives/direct_exchange.h"
#include "actor/collectives/operation.h"
#include "actor/collectives/send_buffer_allgather.h"
#include "actor/node/meeting.h"
#include "inter/algorithms.h"
#include "inter/tofu_algos/torus.h"

namespace mpiactor {
namespace {

// Ranks in the order of their blocks in memory, which is that of their nodes' places on the torus.
class PlaceOrder {
 public:
  PlaceOrder(const NodeMap& nodes, const inter::TorusView& torus) : nodes_(nodes) {
    if (torus.is_in_order()) return;
    for (int place = 0; place < nodes.nodes(); ++place) {
      first_.push_back(static_cast<int>(ranks_.size()));
      for (const int rank : nodes.members(torus.node_at(place))) ranks_.push_back(rank);
    }
  }

  int rank_at(int position) const {
    return ranks_.empty() ? nodes_.rank_at(position) : ranks_[static_cast<std::size_t>(position)];
  }
  // 0 <= place <= nodes
  int first_position(int place) const {
    if (place == nodes_.nodes()) return nodes_.ranks();
    return first_.empty() ? nodes_.first_position(place) : first_[static_cast<std::size_t>(place)];
  }

 private:
  const NodeMap& nodes_;
  std::vector<int> ranks_;  // empty: the nodes' places are their numbers
  std::vector<int> first_;
};

class Allgather {
 public:
  Allgather(Container& container, inter::Way way, RankBlocks& mine, RankBlocks& all)
      : container_(container),
        way_(way),
        nodes_(container.nodes()),
        place_(container.torus().position_of(container.node())),
        order_(nodes_, container.torus()),
        mine_(mine),
        all_(all),
        in_place_(all.contiguous(container.rank()) != nullptr &&
                  all.contiguous(container.rank()) == mine.contiguous(0)),
        begin_(static_cast<std::size_t>(nodes_.ranks()) + 1) {}

  // The `part`-th of `parts` of every block.
  void run(std::uint64_t part, std::uint64_t parts);

 private:
  std::uint64_t begin(int position) const { return begin_[static_cast<std::size_t>(position)]; }
  std::uint64_t begin_of_place(int place) const { return begin(order_.first_position(place)); }
  std::uint64_t bytes_of_place(int place) const {
    return begin_of_place(place + 1) - begin_of_place(place);
  }
  inter::Plan to_and_from_all() const;
  bool nodes_give_equally() const;
  NodeExchange::Setup describe(std::byte* memory);

  Container& container_;
  inter::Way way_;
  const NodeMap& nodes_;
  int place_;  // of this node
  PlaceOrder order_;
  RankBlocks& mine_;
  RankBlocks& all_;
  bool in_place_;
  std::vector<std::uint64_t> begin_;  // of the ranks' bytes in memory, in that order
  std::shared_ptr<const Choice> choice_;
  inter::Plan plan_;  // where all send to all
};

bool Allgather::nodes_give_equally() const {
  const std::uint64_t bytes = bytes_of_place(0);
  for (int place = 1; place < nodes_.nodes(); ++place) {
    if (bytes_of_place(place) != bytes) return false;
  }
  return bytes != 0;
}

inter::Plan Allgather::to_and_from_all() const {
  std::vector<std::uint64_t> cuts;
  for (int place = 0; place <= nodes_.nodes(); ++place) cuts.push_back(begin_of_place(place));
  inter::Plan plan = inter::allgather_linear({.shape = inter::Shape::line(nodes_.nodes()),
                                              .bytes = cuts.back(),
                                              .node = place_,
                                              .cuts = cuts});
  inter::translate_peers(plan, container_.torus());
  return plan;
}

NodeExchange::Setup Allgather::describe(std::byte* memory) {
  const std::uint64_t bytes = begin(nodes_.ranks());
  if (way_ != inter::Way::kDirect && nodes_give_equally()) {
    choice_ = container_.choose(inter::Collective::kAllgather, 0, bytes);
    return {.plan = &choice_->plan,
            .buffer = memory,
            .bytes = bytes,
            .segment_bytes = choice_->selection.segment_bytes};
  }
  plan_ = to_and_from_all();
  return {.plan = &plan_,
          .buffer = memory,
          .bytes = bytes,
          .segment_bytes = std::max<std::uint64_t>(bytes, 1)};
}

void Allgather::run(std::uint64_t part, std::uint64_t parts) {
  const auto cut = [&](int rank, std::uint64_t at) { return all_.bytes(rank) * at / parts; };
  for (int p = 0; p < nodes_.ranks(); ++p) {
    const int rank = order_.rank_at(p);
    begin_[static_cast<std::size_t>(p) + 1] = begin(p) + cut(rank, part + 1) - cut(rank, part);
  }
  Meeting meeting(container_, begin(nodes_.ranks()));
  const int position = order_.first_position(place_) + container_.member();
  mine_.lay_down(0, cut(container_.rank(), part), begin(position + 1) - begin(position),
                 meeting.memory() + begin(position));
  if (nodes_.nodes() == 1) {
    meeting.end_phase(1);
    meeting.wait_phase(1);
  } else {
    Between(container_, meeting, {.describe = [&] { return describe(meeting.memory()); }})
        .run_for_all();
  }
  for (int p = 0; p < nodes_.ranks(); ++p) {
    const int rank = order_.rank_at(p);
    if (in_place_ && rank == container_.rank()) continue;
    all_.write(rank, cut(rank, part), begin(p + 1) - begin(p), meeting.memory() + begin(p));
  }
  meeting.leave();
}

// On one node, of blocks that come with their ranks' signatures.
void short_allgather(Container& container, Meeting::Parts parts, RankBlocks& mine,
                     RankBlocks& all) {
  const std::byte* const own = all.contiguous(container.rank());
  const bool in_place = own != nullptr && own == mine.contiguous(0);
  Meeting meeting(container, parts);
  mine.lay_down(0, 0, all.bytes(container.rank()), meeting.part(container.member()));
  meeting.end_phase(1);
  meeting.wait_phase(1);
  for (int member = 0; member < container.members(); ++member) {
    const int rank = container.nodes().rank_at(member);
    if (!in_place || rank != container.rank())
      all.write(rank, 0, all.bytes(rank), meeting.part(member));
  }
  meeting.leave();
  all.finish();
}

Meeting::Parts longest_block(const RankBlocks& all) {
  Meeting::Parts longest;
  for (int rank = 0; rank < all.ranks(); ++rank)
    longest.bytes = std::max(longest.bytes, all.bytes(rank));
  return longest;
}

}  // namespace

bool hybrid_allgather(Container& container, MPI_Comm comm, const CallFacts& call, RankBlocks& mine,
                      RankBlocks& all) {
  const std::uint64_t bytes = all.total_bytes();
  const inter::Way way = way_of(call, container);
  if (way == inter::Way::kSingleCopy) {
    if (direct_allgather(container, mine, all)) return true;
    if (!goes_on_in_staging(call, container)) return false;
  }
  if (way == inter::Way::kSendBuffers) {
    if (send_buffer_allgather(container, comm, mine, all)) return true;
    if (!goes_on_in_staging(call, container)) return false;
  }
  if (container.nodes().nodes() == 1) {
    const Meeting::Parts parts = longest_block(all);
    if (Meeting::comes_signed(parts)) {
      short_allgather(container, parts, mine, all);
      return true;
    }
  }
  const std::uint64_t room = room_for(container, comm, memory_of(call, container));
  if (room == 0) return false;
  // A part of every block rounds up to one byte more.
  const auto rounding = static_cast<std::uint64_t>(container.nodes().ranks());
  const std::uint64_t parts = (bytes - 1) / (room - rounding) + 1;
  Allgather allgather(container, way, mine, all);
  for (std::uint64_t part = 0; part < parts; ++part) allgather.run(part, parts);
  all.finish();
  return true;
}

}  // namespace mpiactor
