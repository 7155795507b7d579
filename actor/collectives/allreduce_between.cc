// Short vectors go in one round, of which the last member to arrive does everything if it is the
// last of all. Long ones go in blocks: while one block is between the nodes, members lay down and
// combine the next.
#include "actor/collectives/allreduce_between.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "actor/between/between.h"
#include "actor/between/node_shares.h"
#include "actor/node/meeting.h"
#include "actor/node/node_combining.h"
#include "actor/shm/cache_line.h"
#include "actor/shm/copy.h"
#include "inter/ways.h"

namespace mpiactor {
namespace {

using Kind = NodeShares::Kind;

// Blocks stay in the caches of the cores that share them.
constexpr std::uint64_t kPlanBlockBytes = 256 << 10;
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

class Block {
 public:
  Block(Container& container, const BlockWay& way, const Vector& vector, const Reduction& reduction)
      : container_(container),
        vector_(vector),
        reduction_(reduction),
        bytes_(vector.elements * reduction.element_bytes()),
        members_(static_cast<std::uint64_t>(container.members())),
        memory_(container, way, vector.elements, reduction.element_bytes(), members_),
        meeting_(container, memory_.vectors + memory_.contributed,
                 NodeCombining::zeroed_bytes(members_, bytes_)),
        combining_(container, meeting_, reduction, vector.elements, meeting_.memory()),
        leaders_(container.nodes()) {
    if (way.shares) {
      shares_.emplace(container, meeting_, reduction,
                      equal_shares(vector.elements, container.nodes().nodes()), *way.shares,
                      way.is_patient, combining_.vectors(), meeting_.memory() + memory_.vectors);
    } else {
      planned_.emplace(container, meeting_,
                       Between::Setup{.leaders = &leaders_,
                                      .leads = is_fixed_leader(container),
                                      .describe = [this] { return describe(); }});
    }
  }

  // Lays down this member's vector, combines what there is to be combined.
  void contribute(Block* before) {
    shm::copy_to_shared(combining_.own_part(), vector_.send, bytes_);
    const auto is_idle = [&] {
      return between().is_idle() && (!before || before->between().is_over());
    };
    const auto work = [&] {
      const bool any = before && before->between().progress();
      return between().progress() || any;
    };
    if (combining_.combine(is_idle, work)) between().complete();
  }

  // Waits for the result and copies it out.
  void finish(Block* next) {
    between().finish_for_all([&] { return next && next->between().progress(); });
    reduction_.copy(shares_ ? shares_->result() : combining_.vectors(), vector_.recv,
                    vector_.elements);
    meeting_.leave();
  }

 private:
  Between& between() { return shares_ ? shares_->between() : *planned_; }
  NodeExchange::Setup describe() {
    choice_ =
        container_.choose(inter::Collective::kAllreduce, 0, bytes_, reduction_.element_bytes());
    return {.plan = &choice_->plan,
            .buffer = combining_.vectors(),
            .bytes = bytes_,
            .segment_bytes = choice_->selection.segment_bytes,
            .reduction = &reduction_,
            .in_node_order = choice_->selection.algorithm->combines_in_node_order};
  }

  Container& container_;
  Vector vector_;
  const Reduction& reduction_;
  std::uint64_t bytes_;
  std::uint64_t members_;
  MemoryBytes memory_;
  Meeting meeting_;
  NodeCombining combining_;
  FixedLeaders leaders_;
  std::shared_ptr<const Choice> choice_;
  // One of them.
  std::optional<NodeShares> shares_;
  std::optional<Between> planned_;
};

constexpr BlockWay kOneRound{Kind::kWhole};

// The longest block in shares for which there is memory; 0: not worth it.
std::uint64_t share_block_elements(Container& container, MPI_Comm comm, std::uint64_t bytes,
                                   std::uint64_t element) {
  const auto members = static_cast<std::uint64_t>(std::max(container.nodes().most_members(), 2));
  // Besides: what comes from all nodes; what rounding takes.
  const std::uint64_t vectors = members + 1;
  const auto nodes = static_cast<std::uint64_t>(container.nodes().nodes());
  const std::uint64_t rounding = vectors * 64 + nodes * (element + 64) + shm::kCacheLine;
  container.grow(comm, vectors * std::min(bytes, inter::kShareBlockBytes) + rounding);
  if (container.work_bytes() < vectors * kLeastShareBlockBytes + rounding) return 0;
  return std::min((container.work_bytes() - rounding) / vectors, inter::kShareBlockBytes) / element;
}

std::uint64_t plan_block_elements(Container& container, MPI_Comm comm, std::uint64_t bytes,
                                  std::uint64_t element) {
  const auto members = static_cast<std::uint64_t>(container.nodes().most_members());
  // What rounding, and counting slices, takes of each vector.
  constexpr std::uint64_t kRounding = 2 * shm::kCacheLine;
  container.grow(comm, members * (std::min(bytes, kPlanBlockBytes) + kRounding));
  const std::uint64_t room = container.work_bytes() / members - kRounding;
  return std::max<std::uint64_t>(std::min(room, kPlanBlockBytes) / element, 1);
}

void run_blocks(Container& container, const BlockWay& way, const Vector& vector,
                const Reduction& reduction, std::uint64_t most) {
  const std::uint64_t element = reduction.element_bytes();
  std::optional<Block> blocks[2];
  Block* before = nullptr;
  for (std::uint64_t first = 0, k = 0; first < vector.elements; first += most, ++k) {
    auto& block = blocks[k % 2];
    block.emplace(container, way,
                  Vector{vector.send + first * element, vector.recv + first * element,
                         std::min(most, vector.elements - first)},
                  reduction);
    block->contribute(before);
    if (before) before->finish(&*block);
    before = &*block;
  }
  before->finish(nullptr);
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
  run_blocks(container, kOneRound, vector, reduction, vector.elements);
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
    if (most != 0) return run_blocks(container, shares, vector, reduction, most);
  }
  run_blocks(container, {}, vector, reduction,
             plan_block_elements(container, comm, bytes, element));
}

}  // namespace mpiactor
