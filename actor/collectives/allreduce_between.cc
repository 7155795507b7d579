// Short vectors go in one round, of which the last member to arrive does everything if it is the
// last of all. Long ones go in blocks: while one block is between the nodes, members lay down and
// combine the next. In the order of arrival they run some blocks ahead of the results.
#include "actor/collectives/allreduce_between.h"

#include <algorithm>
#include <iterator>
#include <list>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "actor/between/between.h"
#include "actor/between/node_shares.h"
#include "actor/node/meeting.h"
#include "actor/node/node_combining.h"
#include "actor/node/running_result.h"
#include "actor/shm/cache_line.h"
#include "actor/shm/copy.h"
#include "inter/ways.h"

namespace mpiactor {
namespace {

using Kind = NodeShares::Kind;

// Blocks stay in the caches of the cores that share them.
constexpr std::uint64_t kPlanBlockBytes = 256 << 10;
// While one of them is between the nodes, members lay down the next.
constexpr std::uint64_t kAheadInOrder = 1;
// Shorter ones are not worth the messages of shares.
constexpr std::uint64_t kLeastShareBlockBytes = 4 << 10;

// A block's elements in equal shares.
std::vector<std::uint64_t> equal_shares(std::uint64_t elements, int nodes) {
  std::vector<std::uint64_t> first;
  for (int node = 0; node <= nodes; ++node) {
    first.push_back(elements * static_cast<std::uint64_t>(node) /
                    static_cast<std::uint64_t>(nodes));
  }
  return first;
}

// How the nodes go about a block: `shares`, or nothing, by a plan.
struct BlockWay {
  std::optional<Kind> shares;
  bool is_patient = true;  // see Between::Setup
};

// Of a request of one block.
struct MemoryBytes {
  MemoryBytes(const Container& container, const BlockWay& way, std::uint64_t elements,
              std::uint64_t element_bytes, std::uint64_t members) {
    const std::uint64_t bytes = elements * element_bytes;
    const NodeMap& nodes = container.nodes();
    const std::uint64_t least = way.shares ? NodeShares::least_vectors(*way.shares) : 1;
    vectors = NodeCombining::memory_bytes(std::max(members, least), bytes);
    if (!way.shares) return;
    const std::uint64_t share = bytes / static_cast<std::uint64_t>(nodes.nodes()) + element_bytes;
    contributed = NodeShares::contributed_bytes(nodes, bytes, share, *way.shares);
  }
  std::uint64_t vectors = 0;
  std::uint64_t contributed = 0;
};

// The node's vector in the order of the members, who lay theirs down side by side.
class InOrder {
 public:
  InOrder(Container& container, const Reduction& reduction, std::uint64_t elements,
          const BlockWay& way)
      : InOrder(
            container, reduction, elements,
            MemoryBytes(container, way, elements, reduction.element_bytes(), members(container))) {}

  Meeting& meeting() { return meeting_; }
  std::byte* data() { return combining_.vectors(); }
  // Where other nodes' contributions come.
  std::byte* contributed() { return meeting_.memory() + vectors_bytes_; }
  std::uint64_t bytes() const { return bytes_; }
  // Combines what there is to be combined, too; returns whether that completed the node's vector.
  template <typename Idle, typename Work>
  bool contribute(const std::byte* vector, Idle idle, Work meanwhile) {
    shm::copy_to_shared(combining_.own_part(), vector, bytes_);
    return combining_.combine(idle, meanwhile);
  }

 private:
  static std::uint64_t members(const Container& container) {
    return static_cast<std::uint64_t>(container.members());
  }
  InOrder(Container& container, const Reduction& reduction, std::uint64_t elements,
          const MemoryBytes& memory)
      : bytes_(elements * reduction.element_bytes()),
        vectors_bytes_(memory.vectors),
        meeting_(container, memory.vectors + memory.contributed,
                 NodeCombining::zeroed_bytes(members(container), bytes_)),
        combining_(container, meeting_, reduction, elements, meeting_.memory()) {}

  std::uint64_t bytes_;
  std::uint64_t vectors_bytes_;
  Meeting meeting_;
  NodeCombining combining_;
};

// In the order of arrival: whoever comes combines its vector with what is there.
class AsTheyCome : public RunningResult {
 public:
  AsTheyCome(Container& container, const Reduction& reduction, std::uint64_t elements,
             const BlockWay& /*by a plan*/)
      : RunningResult(container, reduction, elements, container.members()) {}

  template <typename Idle, typename Work>
  bool contribute(const std::byte* vector, Idle /*idle*/, Work meanwhile) {
    return RunningResult::contribute(vector, meanwhile);
  }
};

// What a member does with a block, and nodes with a node's complete one.
template <typename NodeVector>
class Block {
 public:
  Block(Container& container, const Vector& vector, const Reduction& reduction, const BlockWay& way)
      : container_(container),
        vector_(vector),
        reduction_(reduction),
        node_vector_(container, reduction, vector.elements, way) {
    if constexpr (std::is_same_v<NodeVector, InOrder>) {
      if (way.shares) {
        shares_.emplace(container, node_vector_.meeting(), reduction,
                        equal_shares(vector.elements, container.nodes().nodes()), *way.shares,
                        way.is_patient, node_vector_.data(), node_vector_.contributed());
        return;
      }
    }
    if (container.nodes().nodes() == 1) return;
    planned_.emplace(container, node_vector_.meeting(),
                     Between::Setup{.describe = [this] { return describe(); }});
  }

  // Lays down this member's vector, combines what there is to be combined.
  template <typename Idle, typename Work>
  void contribute(Idle idle, Work meanwhile) {
    const bool completes = node_vector_.contribute(vector_.send, idle, meanwhile);
    if (completes && between()) between()->complete();
  }

  // What can be done now between the nodes; true where anything came forward.
  bool progress() { return between() && between()->progress(); }
  // Nothing is under way that needs this member's progress; nor will there be.
  bool is_idle() { return !between() || between()->is_idle(); }
  bool is_over() { return !between() || between()->is_over(); }

  // Waits for the result and copies it out.
  template <typename Work>
  void finish(Work meanwhile) {
    if (between()) {
      between()->finish_for_all(meanwhile);
    } else if constexpr (std::is_same_v<NodeVector, AsTheyCome>) {
      node_vector_.wait_complete();
    }
    reduction_.copy(shares_ ? shares_->result() : node_vector_.data(), vector_.recv,
                    vector_.elements);
    node_vector_.meeting().leave();
  }

 private:
  Between* between() {
    if (shares_) return &shares_->between();
    return planned_ ? &*planned_ : nullptr;
  }
  NodeExchange::Setup describe() {
    choice_ = container_.choose(inter::Collective::kAllreduce, 0, node_vector_.bytes(),
                                reduction_.element_bytes());
    return {.plan = &choice_->plan,
            .buffer = node_vector_.data(),
            .bytes = node_vector_.bytes(),
            .segment_bytes = choice_->selection.segment_bytes,
            .reduction = &reduction_,
            .in_node_order = choice_->selection.algorithm->combines_in_node_order};
  }

  Container& container_;
  Vector vector_;
  const Reduction& reduction_;
  NodeVector node_vector_;
  std::shared_ptr<const Choice> choice_;
  // One of them; none on a single node.
  std::optional<NodeShares> shares_;
  std::optional<Between> planned_;
};

// The blocks that this member has contributed to and has no result of yet. Not on the stack, which
// may be small.
template <typename NodeVector>
class Pipeline {
 public:
  std::size_t size() const { return blocks_.size(); }

  void add(Container& container, const Vector& vector, const Reduction& reduction,
           const BlockWay& way) {
    Block<NodeVector>& block = blocks_.emplace_back(container, vector, reduction, way);
    block.contribute([this] { return is_idle(); }, [this] { return progress(blocks_.begin()); });
  }

  void finish_first() {
    blocks_.front().finish([this] { return progress(std::next(blocks_.begin())); });
    blocks_.pop_front();
  }

 private:
  using Blocks = std::list<Block<NodeVector>>;

  // Of the blocks from `first` on.
  bool progress(typename Blocks::iterator first) {
    bool any = false;
    for (; first != blocks_.end(); ++first) any |= first->progress();
    return any;
  }
  bool is_idle() {
    const auto last = std::prev(blocks_.end());
    return std::all_of(blocks_.begin(), last, [](auto& block) { return block.is_over(); }) &&
           last->is_idle();
  }

  Blocks blocks_;
};

template <typename NodeVector>
void run_blocks(Container& container, const BlocksAhead& blocks, const BlockWay& way,
                const Vector& vector, const Reduction& reduction) {
  const std::uint64_t element = reduction.element_bytes();
  Pipeline<NodeVector> pipeline;
  for (std::uint64_t first = 0; first < vector.elements; first += blocks.elements) {
    if (pipeline.size() > blocks.ahead) pipeline.finish_first();
    pipeline.add(container,
                 Vector{vector.send + first * element, vector.recv + first * element,
                        std::min(blocks.elements, vector.elements - first)},
                 reduction, way);
  }
  while (pipeline.size() != 0) pipeline.finish_first();
}

constexpr BlockWay kOneRound{Kind::kWhole};

// The longest block in shares for which there is memory; 0: not worth it.
std::uint64_t share_block_elements(Container& container, MPI_Comm comm, std::uint64_t bytes,
                                   std::uint64_t element) {
  const auto members = static_cast<std::uint64_t>(std::max(container.nodes().most_members(), 2));
  // Besides: what comes from all nodes; what rounding takes.
  const std::uint64_t vectors = members + 1;
  const auto nodes = static_cast<std::uint64_t>(container.nodes().nodes());
  const std::uint64_t rounding =
      vectors * shm::kCacheLine + nodes * (element + shm::kCacheLine) + shm::kCacheLine;
  const std::uint64_t room = blocks_room(container, comm, vectors * bytes + rounding,
                                         vectors * inter::kShareBlockBytes + rounding);
  if (room < vectors * kLeastShareBlockBytes + rounding) return 0;
  return std::min((room - rounding) / vectors, inter::kShareBlockBytes) / element;
}

std::uint64_t plan_block_elements(Container& container, MPI_Comm comm, std::uint64_t bytes,
                                  std::uint64_t element) {
  const auto members = static_cast<std::uint64_t>(container.nodes().most_members());
  // A cache line of each vector is for counting slices.
  const std::uint64_t memory =
      blocks_room(container, comm, parts_bytes(members, bytes + shm::kCacheLine),
                  parts_bytes(members, kPlanBlockBytes + shm::kCacheLine));
  const std::uint64_t each = part_room(memory, members);
  const std::uint64_t room = each - std::min<std::uint64_t>(each, shm::kCacheLine);
  return std::max<std::uint64_t>(std::min(room, kPlanBlockBytes) / element, 1);
}

}  // namespace

std::uint64_t one_round_bytes(const Container& container, std::uint64_t bytes) {
  const auto members = static_cast<std::uint64_t>(container.nodes().most_members());
  const MemoryBytes memory(container, kOneRound, bytes, 1, members);
  return memory.vectors + memory.contributed;
}

bool fits_one_round(const Container& container, std::uint64_t bytes) {
  return one_round_bytes(container, bytes) <= container.work_bytes();
}

void one_round_allreduce(Container& container, const Vector& vector, const Reduction& reduction) {
  run_blocks<InOrder>(container, {vector.elements, 0}, kOneRound, vector, reduction);
}

void allreduce_in_blocks(Container& container, MPI_Comm comm, inter::Way way, const Vector& vector,
                         const Reduction& reduction) {
  const std::uint64_t element = reduction.element_bytes();
  const std::uint64_t bytes = vector.elements * element;
  if (way == inter::Way::kShares) {
    const int nodes = container.nodes().nodes();
    const std::uint64_t most = share_block_elements(container, comm, bytes, element);
    const BlockWay shares{nodes == 2 ? Kind::kWhole : Kind::kShares,
                          nodes > inter::kImpatientShareNodes};
    if (most != 0) {
      return run_blocks<InOrder>(container, {most, kAheadInOrder}, shares, vector, reduction);
    }
  }
  run_blocks<InOrder>(container,
                      {plan_block_elements(container, comm, bytes, element), kAheadInOrder}, {},
                      vector, reduction);
}

void allreduce_by_arrival(Container& container, MPI_Comm comm, const Vector& vector,
                          const Reduction& reduction) {
  const std::uint64_t element = reduction.element_bytes();
  run_blocks<AsTheyCome>(container,
                         running_blocks(container, comm, vector.elements * element, element), {},
                         vector, reduction);
}

}  // namespace mpiactor
