#include "actor/collectives/shares_allreduce.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "actor/collectives/node_combining.h"
#include "actor/collectives/node_shares.h"
#include "actor/shm/copy.h"
#include "inter/ways.h"

namespace mpiactor {
namespace {

// Blocks stay in the caches of the cores that share them.
constexpr std::uint64_t kBlockBytes = inter::kShareBlockBytes;
// Shorter ones are not worth their messages.
constexpr std::uint64_t kLeastBlockBytes = 4 << 10;

// A block's elements in equal shares.
std::vector<std::uint64_t> equal_shares(std::uint64_t elements, int nodes) {
  std::vector<std::uint64_t> first;
  for (int node = 0; node <= nodes; ++node) {
    first.push_back(elements * static_cast<std::uint64_t>(node) /
                    static_cast<std::uint64_t>(nodes));
  }
  return first;
}

class Block {
 public:
  Block(Container& container, const Vector& vector, const Reduction& reduction)
      : vector_(vector),
        reduction_(reduction),
        bytes_(vector.elements * reduction.element_bytes()),
        members_(static_cast<std::uint64_t>(container.members())),
        meeting_(container, vectors_bytes(container) + contributed_bytes(container),
                 NodeCombining::zeroed_bytes(members_, bytes_)),
        combining_(container, meeting_, reduction, vector.elements, meeting_.memory()),
        shares_(container, meeting_, reduction,
                equal_shares(vector.elements, container.nodes().nodes()),
                NodeShares::Result::kVector, combining_.vectors(),
                meeting_.memory() + vectors_bytes(container)) {
    if (is_home(container)) shares_.receive();
  }

  // Lays down this member's vector, combines what there is to be combined.
  void contribute(Block* before) {
    shm::copy_to_shared(combining_.own_part(), vector_.send, bytes_);
    const auto is_idle = [&] {
      return shares_.is_idle() && (!before || before->shares_.is_idle());
    };
    const auto work = [&] {
      const bool any = before && before->shares_.progress();
      return shares_.progress() || any;
    };
    if (combining_.combine(is_idle, work)) shares_.complete();
  }

  // Waits for the result and copies it out.
  void finish(Block* next) {
    shares_.finish([&] { return next && next->shares_.progress(); });
    reduction_.copy(shares_.result(), vector_.recv, vector_.elements);
    meeting_.leave();
  }

 private:
  // A node of one member has room for what is to come, too.
  std::uint64_t vectors_bytes(const Container& container) const {
    const std::uint64_t least =
        NodeShares::least_vectors(container.nodes(), NodeShares::Result::kVector);
    return NodeCombining::memory_bytes(std::max(members_, least), bytes_);
  }
  std::uint64_t contributed_bytes(const Container& container) const {
    const auto nodes = static_cast<std::uint64_t>(container.nodes().nodes());
    return NodeShares::contributed_bytes(container.nodes(), bytes_,
                                         bytes_ / nodes + reduction_.element_bytes(),
                                         NodeShares::Result::kVector);
  }

  Vector vector_;
  const Reduction& reduction_;
  std::uint64_t bytes_;
  std::uint64_t members_;
  Meeting meeting_;
  NodeCombining combining_;
  NodeShares shares_;
};

// 0: there is no room for blocks.
std::uint64_t block_elements(Container& container, MPI_Comm comm, std::uint64_t bytes,
                             std::uint64_t element) {
  const auto members = static_cast<std::uint64_t>(std::max(container.nodes().most_members(), 2));
  // Besides: what comes from all nodes; what rounding takes.
  const std::uint64_t vectors = members + 1;
  const auto nodes = static_cast<std::uint64_t>(container.nodes().nodes());
  const std::uint64_t rounding = vectors * 64 + nodes * (element + 64) + shm::kCacheLine;
  container.grow(comm, vectors * std::min(bytes, kBlockBytes) + rounding);
  if (container.work_bytes() < vectors * kLeastBlockBytes + rounding) return 0;
  return std::min((container.work_bytes() - rounding) / vectors, kBlockBytes) / element;
}

}  // namespace

bool shares_allreduce(Container& container, MPI_Comm comm, const Vector& vector,
                      const Reduction& reduction) {
  const std::uint64_t element = reduction.element_bytes();
  const std::uint64_t bytes = vector.elements * element;
  if (!inter::shares_pay(container.nodes().nodes(), bytes) ||
      !NodeShares::is_used(container, world()->settings.allreduce)) {
    return false;
  }
  const std::uint64_t most = block_elements(container, comm, bytes, element);
  if (most == 0) return false;
  std::optional<Block> blocks[2];
  Block* before = nullptr;
  for (std::uint64_t first = 0, k = 0; first < vector.elements; first += most, ++k) {
    std::optional<Block>& block = blocks[k % 2];
    block.emplace(container,
                  Vector{vector.send + first * element, vector.recv + first * element,
                         std::min(most, vector.elements - first)},
                  reduction);
    block->contribute(before);
    if (before) before->finish(&*block);
    before = &*block;
  }
  before->finish(nullptr);
  return true;
}

}  // namespace mpiactor
