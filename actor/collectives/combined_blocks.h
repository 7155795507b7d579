// Long allreduces between nodes, in blocks: while one block is between the nodes, members lay down
// and combine the next.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_COMBINED_BLOCKS_H_
#define MPIACTOR_ACTOR_COLLECTIVES_COMBINED_BLOCKS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "actor/collectives/hybrid.h"
#include "actor/collectives/meeting.h"
#include "actor/collectives/node_combining.h"
#include "actor/container/container.h"
#include "actor/reduction/reduction.h"
#include "actor/shm/copy.h"

namespace mpiactor {

// One block. `BetweenNodes`: its part between the nodes.
//   kMostCounted           arrivals that it leaves to NodeCombining, at most
//   vectors(container)     vectors of the block that must lie where the members' ones do, at least
//   further_bytes(container, bytes, element_bytes)
//                          of memory behind them, for a block of `bytes`
//   BetweenNodes(container, meeting, combining, reduction, elements, further)
//   complete()             the node's vector is complete, the first of combining.vectors(); one
//                          member calls it
//   progress()             true where anything came forward
//   is_idle()              nothing is under way that needs this member's progress
//   is_over()              nor will there be
//   finish_for_all(work)   waits for the result; work() does other things, as progress() does
//   result()               the vector, then
template <typename BetweenNodes>
class CombinedBlock {
 public:
  CombinedBlock(Container& container, const Vector& vector, const Reduction& reduction)
      : vector_(vector),
        reduction_(reduction),
        bytes_(vector.elements * reduction.element_bytes()),
        members_(static_cast<std::uint64_t>(container.members())),
        meeting_(container,
                 vectors_bytes(container) +
                     BetweenNodes::further_bytes(container, bytes_, reduction.element_bytes()),
                 NodeCombining::zeroed_bytes(members_, bytes_)),
        combining_(container, meeting_, reduction, vector.elements, meeting_.memory(),
                   BetweenNodes::kMostCounted),
        between_(container, meeting_, combining_, reduction, vector.elements,
                 meeting_.memory() + vectors_bytes(container)) {}

  // Lays down this member's vector, combines what there is to be combined.
  void contribute(CombinedBlock* before) {
    shm::copy_to_shared(combining_.own_part(), vector_.send, bytes_);
    const auto is_idle = [&] {
      return between_.is_idle() && (!before || before->between_.is_over());
    };
    const auto work = [&] {
      const bool any = before && before->between_.progress();
      return between_.progress() || any;
    };
    if (combining_.combine(is_idle, work)) between_.complete();
  }

  // Waits for the result and copies it out.
  void finish(CombinedBlock* next) {
    between_.finish_for_all([&] { return next && next->between_.progress(); });
    reduction_.copy(between_.result(), vector_.recv, vector_.elements);
    meeting_.leave();
  }

 private:
  std::uint64_t vectors_bytes(const Container& container) const {
    return NodeCombining::memory_bytes(std::max(members_, BetweenNodes::vectors(container)),
                                       bytes_);
  }

  Vector vector_;
  const Reduction& reduction_;
  std::uint64_t bytes_;
  std::uint64_t members_;
  Meeting meeting_;
  NodeCombining combining_;
  BetweenNodes between_;
};

// In blocks of up to `most` elements, equal on all ranks.
template <typename BetweenNodes>
void allreduce_in_blocks(Container& container, const Vector& vector, const Reduction& reduction,
                         std::uint64_t most) {
  const std::uint64_t element = reduction.element_bytes();
  std::optional<CombinedBlock<BetweenNodes>> blocks[2];
  CombinedBlock<BetweenNodes>* before = nullptr;
  for (std::uint64_t first = 0, k = 0; first < vector.elements; first += most, ++k) {
    auto& block = blocks[k % 2];
    block.emplace(container,
                  Vector{vector.send + first * element, vector.recv + first * element,
                         std::min(most, vector.elements - first)},
                  reduction);
    block->contribute(before);
    if (before) before->finish(&*block);
    before = &*block;
  }
  before->finish(nullptr);
}

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_COMBINED_BLOCKS_H_
