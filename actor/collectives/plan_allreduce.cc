#include "actor/collectives/plan_allreduce.h"

#include <algorithm>
#include <memory>

#include "actor/collectives/combined_blocks.h"
#include "actor/collectives/planned_exchange.h"

namespace mpiactor {
namespace {

// Blocks stay in the caches of the cores that share them.
constexpr std::uint64_t kBlockBytes = 256 << 10;

class BlockPlan {
 public:
  static constexpr std::uint64_t kMostCounted = PlannedExchange::kMostCounted;
  static std::uint64_t vectors(const Container&) { return 1; }
  static std::uint64_t further_bytes(const Container&, std::uint64_t, std::uint64_t) { return 0; }

  BlockPlan(Container& container, Meeting& meeting, const NodeCombining& combining,
            const Reduction& reduction, std::uint64_t elements, std::byte*)
      : container_(container),
        reduction_(reduction),
        vector_(combining.vectors()),
        bytes_(elements * reduction.element_bytes()),
        homes_(container.nodes()),
        exchange_(container, meeting, homes_, is_home(container), combining.counts(),
                  [this] { return describe(); }) {}

  void complete() { exchange_.complete(); }
  bool progress() { return exchange_.progress(); }
  bool is_idle() const { return exchange_.is_idle(); }
  bool is_over() const { return exchange_.is_over(); }
  template <typename Work>
  void finish_for_all(Work work) {
    exchange_.finish_for_all(work);
  }
  const std::byte* result() const { return vector_; }

 private:
  NodeExchange::Setup describe() {
    choice_ =
        container_.choose(inter::Collective::kAllreduce, 0, bytes_, reduction_.element_bytes());
    return {.plan = &choice_->plan,
            .buffer = vector_,
            .bytes = bytes_,
            .segment_bytes = choice_->selection.segment_bytes,
            .reduction = &reduction_};
  }

  Container& container_;
  const Reduction& reduction_;
  std::byte* vector_;
  std::uint64_t bytes_;
  Homes homes_;
  std::shared_ptr<const Choice> choice_;
  PlannedExchange exchange_;
};

}  // namespace

void plan_allreduce(Container& container, MPI_Comm comm, const Vector& vector,
                    const Reduction& reduction) {
  const std::uint64_t element = reduction.element_bytes();
  const std::uint64_t bytes = vector.elements * element;
  const auto members = static_cast<std::uint64_t>(container.nodes().most_members());
  // What rounding, and counting slices, takes of each vector.
  constexpr std::uint64_t kRounding = 2 * shm::kCacheLine;
  container.grow(comm, members * (std::min(bytes, kBlockBytes) + kRounding));
  const std::uint64_t room = container.work_bytes() / members - kRounding;
  const std::uint64_t most = std::max<std::uint64_t>(std::min(room, kBlockBytes) / element, 1);
  allreduce_in_blocks<BlockPlan>(container, vector, reduction, most);
}

}  // namespace mpiactor
