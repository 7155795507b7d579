// Reduce-scatter, in blocks that hold a part of every rank's share. On a node each member combines
// its own share; nodes first combine the shares of each other node's ranks and give them there.
#include <algorithm>
#include <deque>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "actor/between/between.h"
#include "actor/between/node_shares.h"
#include "actor/collectives/call_memory.h"
#include "actor/collectives/collectives.h"
#include "actor/collectives/operation.h"
#include "actor/node/contributions.h"
#include "actor/node/meeting.h"
#include "actor/node/node_combining.h"
#include "actor/node/running_result.h"
#include "actor/shm/cache_line.h"
#include "actor/shm/copy.h"
#include "inter/algorithms.h"
#include "inter/ways.h"

namespace mpiactor {
namespace {

// Of the nodes' shares, where `first` says at which element each rank's one begins.
std::uint64_t largest_share(const NodeMap& nodes, std::span<const std::uint64_t> first) {
  std::uint64_t largest = 0;
  for (int node = 0; node < nodes.nodes(); ++node) {
    std::uint64_t elements = 0;
    for (const int rank : nodes.members(node)) {
      elements += first[static_cast<std::size_t>(rank) + 1] - first[static_cast<std::size_t>(rank)];
    }
    largest = std::max(largest, elements);
  }
  return largest;
}

// A part between the nodes: each combines what the others give of its ranks' shares.
class ToOwners {
 public:
  // `vector`: `bytes` of the node's. `plan`: called by those who exchange.
  ToOwners(Container& container, Meeting& meeting, const Reduction& reduction, std::byte* vector,
           std::uint64_t bytes, std::function<inter::Plan()> plan)
      : make_plan_(std::move(plan)),
        setup_{.plan = &plan_,
               .buffer = vector,
               .bytes = bytes,
               .segment_bytes = bytes,
               .reduction = &reduction},
        between_(container, meeting, {.describe = [this] {
                   plan_ = make_plan_();
                   return setup_;
                 }}) {}

  void complete() { between_.complete(); }
  void finish_for_all() { between_.finish_for_all(); }

 private:
  std::function<inter::Plan()> make_plan_;
  inter::Plan plan_;
  NodeExchange::Setup setup_;
  Between between_;
};

struct RunningPart {
  RunningPart(Container& container, const Reduction& reduction, std::uint64_t elements)
      : result(container, reduction, elements, container.members()) {}

  RunningResult result;
  std::optional<ToOwners> to_owners;  // several nodes
};

class ReduceScatter {
 public:
  ReduceScatter(Container& container, const Vector& vector, std::span<const std::uint64_t> first,
                const Reduction& reduction)
      : container_(container),
        nodes_(container.nodes()),
        vector_(vector),
        first_(first),
        reduction_(reduction),
        element_(reduction.element_bytes()),
        shares_(static_cast<std::size_t>(nodes_.ranks()) + 1) {}

  // The `part`-th of `parts` of every share.
  void run(std::uint64_t part, std::uint64_t parts) {
    set_positions(part, parts);
    nodes_.nodes() == 1 ? run_on_one_node(part, parts) : run_by_plan(part, parts);
  }
  // The same where nodes combine a share each (node_shares.h).
  void run_by_shares(std::uint64_t part, std::uint64_t parts);
  // All parts, in the order of arrival: this rank contributes to up to `ahead` parts before it has
  // its own share of the one before.
  void run_by_arrival(std::uint64_t parts, std::uint64_t ahead);

 private:
  std::uint64_t share(int rank) const { return first_of(rank + 1) - first_of(rank); }
  std::uint64_t first_of(int rank) const { return first_[static_cast<std::size_t>(rank)]; }
  // Of the block, in elements; positions are node after node.
  std::uint64_t begin(int position) const { return shares_[static_cast<std::size_t>(position)]; }
  int position() const { return nodes_.first_position(container_.node()) + container_.member(); }
  // Of a share, in elements.
  std::uint64_t cut(int rank, std::uint64_t part, std::uint64_t parts) const {
    return share(rank) * part / parts;
  }
  void set_positions(std::uint64_t part, std::uint64_t parts);
  void lay_down(std::byte* to, std::uint64_t part, std::uint64_t parts, bool with_own) const;
  bool nodes_are_in_rank_order() const;
  // This rank's contribution to a part, whole or put together.
  const std::byte* gather_part(std::uint64_t part, std::uint64_t parts);
  void start_by_arrival(const std::byte* own);
  void finish_by_arrival(std::uint64_t part, std::uint64_t parts);
  void run_on_one_node(std::uint64_t part, std::uint64_t parts);
  void run_by_plan(std::uint64_t part, std::uint64_t parts);
  // Of the nodes, for the part whose positions are set.
  inter::Plan plan() const;

  Container& container_;
  const NodeMap& nodes_;
  Vector vector_;
  std::span<const std::uint64_t> first_;
  const Reduction& reduction_;
  std::uint64_t element_;
  std::vector<std::uint64_t> shares_;
  std::deque<RunningPart> running_;
  std::vector<std::byte> gathered_;
};

void ReduceScatter::set_positions(std::uint64_t part, std::uint64_t parts) {
  for (int p = 0; p < nodes_.ranks(); ++p) {
    const int rank = nodes_.rank_at(p);
    shares_[static_cast<std::size_t>(p) + 1] =
        begin(p) + cut(rank, part + 1, parts) - cut(rank, part, parts);
  }
}

bool ReduceScatter::nodes_are_in_rank_order() const {
  for (int p = 0; p < nodes_.ranks(); ++p) {
    if (nodes_.rank_at(p) != p) return false;
  }
  return true;
}

const std::byte* ReduceScatter::gather_part(std::uint64_t part, std::uint64_t parts) {
  if (parts == 1 && nodes_are_in_rank_order()) return vector_.send;
  gathered_.resize(begin(nodes_.ranks()) * element_);
  for (int p = 0; p < nodes_.ranks(); ++p) {
    const int rank = nodes_.rank_at(p);
    shm::copy_bytes(gathered_.data() + begin(p) * element_,
                    vector_.send + (first_of(rank) + cut(rank, part, parts)) * element_,
                    (begin(p + 1) - begin(p)) * element_);
  }
  return gathered_.data();
}

void ReduceScatter::run_by_arrival(std::uint64_t parts, std::uint64_t ahead) {
  std::uint64_t finished = 0;
  for (std::uint64_t part = 0; part < parts; ++part) {
    if (part - finished > ahead) finish_by_arrival(finished++, parts);
    set_positions(part, parts);
    start_by_arrival(gather_part(part, parts));
  }
  while (finished < parts) finish_by_arrival(finished++, parts);
}

void ReduceScatter::start_by_arrival(const std::byte* own) {
  RunningPart& running = running_.emplace_back(container_, reduction_, begin(nodes_.ranks()));
  RunningResult& result = running.result;
  if (nodes_.nodes() > 1) {
    running.to_owners.emplace(container_, result.meeting(), reduction_, result.data(),
                              result.bytes(),
                              [this] { return inter::combined_as_it_comes(plan()); });
  }
  const bool completes = result.contribute(own, [] { return false; });
  if (completes && running.to_owners) running.to_owners->complete();
}

void ReduceScatter::finish_by_arrival(std::uint64_t part, std::uint64_t parts) {
  set_positions(part, parts);
  RunningPart& running = running_.front();
  if (running.to_owners) {
    running.to_owners->finish_for_all();
  } else {
    running.result.wait_complete();
  }
  const int own = position();
  reduction_.copy(running.result.data() + begin(own) * element_,
                  vector_.recv + cut(container_.rank(), part, parts) * element_,
                  begin(own + 1) - begin(own));
  running.result.meeting().leave();
  running_.pop_front();
}

void ReduceScatter::lay_down(std::byte* to, std::uint64_t part, std::uint64_t parts,
                             bool with_own) const {
  for (int p = 0; p < nodes_.ranks(); ++p) {
    const int rank = nodes_.rank_at(p);
    if (!with_own && rank == container_.rank()) continue;
    shm::copy_to_shared(to + begin(p) * element_,
                        vector_.send + (first_of(rank) + cut(rank, part, parts)) * element_,
                        (begin(p + 1) - begin(p)) * element_);
  }
}

void ReduceScatter::run_by_shares(std::uint64_t part, std::uint64_t parts) {
  constexpr auto kScatter = NodeShares::Kind::kScatter;
  set_positions(part, parts);
  std::vector<std::uint64_t> first = nodes_.cuts([this](int position) { return begin(position); });
  std::uint64_t largest = 0;
  for (std::size_t node = 0; node + 1 < first.size(); ++node) {
    largest = std::max(largest, first[node + 1] - first[node]);
  }
  const std::uint64_t node_begin = first[static_cast<std::size_t>(container_.node())];
  const auto members = static_cast<std::uint64_t>(container_.members());
  const std::uint64_t elements = first.back();
  const std::uint64_t bytes = elements * element_;
  const std::uint64_t vectors_bytes = NodeCombining::memory_bytes(members, bytes);
  Meeting meeting(
      container_,
      vectors_bytes + NodeShares::contributed_bytes(nodes_, bytes, largest * element_, kScatter),
      NodeCombining::zeroed_bytes(members, bytes));
  NodeCombining combining(container_, meeting, reduction_, elements, meeting.memory());
  NodeShares shares(container_, meeting, reduction_, std::move(first), kScatter,
                    nodes_.nodes() > inter::kImpatientShareNodes, combining.vectors(),
                    meeting.memory() + vectors_bytes);
  Between& between = shares.between();
  lay_down(combining.own_part(), part, parts, true);
  const bool completes =
      combining.combine([&] { return between.is_idle(); }, [&] { return between.progress(); });
  if (completes) between.complete();
  between.finish_for_all();
  const int own = position();
  shares.contributions().combine(reduction_, begin(own) - node_begin, begin(own + 1) - begin(own),
                                 vector_.recv + cut(container_.rank(), part, parts) * element_);
  meeting.leave();
}

void ReduceScatter::run_on_one_node(std::uint64_t part, std::uint64_t parts) {
  Meeting meeting(container_, Meeting::Parts{begin(nodes_.ranks()) * element_});
  std::byte* const mine = meeting.part(container_.member());
  // Nobody else reads this rank's own share.
  lay_down(mine, part, parts, false);
  Contributions contributions{
      .memory = meeting.memory(), .stride = meeting.stride(), .members = container_.members()};
  const int own = position();
  const std::uint64_t own_elements = begin(own + 1) - begin(own);
  const std::uint64_t cut_begin = cut(container_.rank(), part, parts);
  meeting.end_phase(1);
  meeting.wait_phase(1);
  const std::byte* const given =
      vector_.send + (first_of(container_.rank()) + cut_begin) * element_;
  if (vector_.send == vector_.recv) {
    // Combining would overwrite what its turn has not come for yet.
    shm::copy_bytes(mine + begin(own) * element_, given, own_elements * element_);
  } else {
    contributions.me = container_.member();
    contributions.own = given - begin(own) * element_;
  }
  contributions.combine(reduction_, begin(own), own_elements, vector_.recv + cut_begin * element_);
  meeting.leave();
}

void ReduceScatter::run_by_plan(std::uint64_t part, std::uint64_t parts) {
  const std::uint64_t elements = begin(nodes_.ranks());
  const std::uint64_t bytes = elements * element_;
  const auto members = static_cast<std::uint64_t>(container_.members());
  Meeting meeting(container_, NodeCombining::memory_bytes(members, bytes),
                  NodeCombining::zeroed_bytes(members, bytes));
  NodeCombining combining(container_, meeting, reduction_, elements, meeting.memory());
  std::byte* const vector = combining.vectors();
  ToOwners to_owners(container_, meeting, reduction_, vector, bytes, [this] { return plan(); });
  lay_down(combining.own_part(), part, parts, true);
  if (combining.combine([] { return true; }, [] { return false; })) to_owners.complete();
  to_owners.finish_for_all();
  const int own = position();
  reduction_.copy(vector + begin(own) * element_,
                  vector_.recv + cut(container_.rank(), part, parts) * element_,
                  begin(own + 1) - begin(own));
  meeting.leave();
}

inter::Plan ReduceScatter::plan() const {
  const auto cuts = nodes_.cuts([this](int position) { return begin(position) * element_; });
  return inter::reduce_scatter_linear({.shape = inter::Shape::line(nodes_.nodes()),
                                       .bytes = cuts.back(),
                                       .node = container_.node(),
                                       .cuts = cuts});
}

}  // namespace

bool hybrid_reduce_scatter(Container& container, MPI_Comm comm, const Vector& vector,
                           std::span<const std::uint64_t> first, const Reduction& reduction) {
  const std::uint64_t element = reduction.element_bytes();
  const std::uint64_t bytes = vector.elements * element;
  const CallFacts call = CallFacts::reduce_scatter(bytes, reduction.order_matters());
  const bool by_arrival = combines_by_arrival(call, container);
  const bool by_shares = !by_arrival && way_of(call, container) == inter::Way::kShares;
  const NodeMap& nodes = container.nodes();
  const auto node_count = static_cast<std::uint64_t>(nodes.nodes());
  const auto most_members = static_cast<std::uint64_t>(nodes.most_members());
  // A part of every share rounds up to one element more; memory to whole cache lines.
  std::uint64_t rounding = static_cast<std::uint64_t>(nodes.ranks()) * element + shm::kCacheLine;
  if (by_shares) rounding = shares_rounding(node_count, most_members, element);
  BlocksAhead blocks;
  std::uint64_t room = 0;
  if (by_arrival) {
    blocks = running_blocks(container, comm, bytes + rounding, element);
    room = blocks.elements * element;
  } else {
    // Of each member and of the node; where nodes combine shares, of their contributions instead.
    std::uint64_t vectors = most_members + 1;
    if (by_shares)
      vectors = most_members + (node_count * largest_share(nodes, first) - 1) / vector.elements + 1;
    container.grow(comm, vectors * (bytes + rounding));
    room = container.work_bytes() / vectors;
  }
  const bool in_one = bytes + rounding <= room;
  if (!in_one && room < 2 * rounding) return false;
  const std::uint64_t parts = in_one ? 1 : (bytes - 1) / (room - rounding) + 1;
  // In place the result overwrites shares that later parts still need: it is kept aside.
  std::vector<std::byte> aside;
  const auto me = static_cast<std::size_t>(container.rank());
  const std::uint64_t own = first[me + 1] - first[me];
  Vector target = vector;
  if (vector.send == vector.recv && parts > 1) {
    aside.resize(own * element);
    target.recv = aside.data();
  }
  ReduceScatter parts_of(container, target, first, reduction);
  if (by_arrival) {
    parts_of.run_by_arrival(parts, blocks.ahead);
  } else {
    for (std::uint64_t part = 0; part < parts; ++part) {
      by_shares ? parts_of.run_by_shares(part, parts) : parts_of.run(part, parts);
    }
  }
  if (!aside.empty()) reduction.copy(aside.data(), vector.recv, own);
  return true;
}

}  // namespace mpiactor
