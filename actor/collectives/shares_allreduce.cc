#include "actor/collectives/shares_allreduce.h"

#include <algorithm>
#include <vector>

#include "actor/collectives/combined_blocks.h"
#include "actor/collectives/node_shares.h"
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

class BlockShares : public NodeShares {
 public:
  static constexpr std::uint64_t kMostCounted = NodeCombining::kMostCounted;
  static std::uint64_t vectors(const Container& container) {
    return least_vectors(container.nodes(), Result::kVector);
  }
  static std::uint64_t further_bytes(const Container& container, std::uint64_t bytes,
                                     std::uint64_t element_bytes) {
    const auto nodes = static_cast<std::uint64_t>(container.nodes().nodes());
    return contributed_bytes(container.nodes(), bytes, bytes / nodes + element_bytes,
                             Result::kVector);
  }

  BlockShares(Container& container, Meeting& meeting, const NodeCombining& combining,
              const Reduction& reduction, std::uint64_t elements, std::byte* further)
      : NodeShares(container, meeting, reduction, equal_shares(elements, container.nodes().nodes()),
                   Result::kVector, combining.vectors(), further) {
    if (is_home(container)) receive();
  }

  // The home receives from the beginning.
  bool is_over() const { return is_idle(); }
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
      !NodeShares::is_used(container, inter::Collective::kAllreduce)) {
    return false;
  }
  const std::uint64_t most = block_elements(container, comm, bytes, element);
  if (most == 0) return false;
  allreduce_in_blocks<BlockShares>(container, vector, reduction, most);
  return true;
}

}  // namespace mpiactor
