// Allreduce in the order of arrival. Members combine their vectors into the node's, block after
// block, and run some blocks ahead of the results; nodes run a plan for a node's complete blocks.
#include <algorithm>
#include <deque>
#include <memory>
#include <optional>

#include "actor/between/between.h"
#include "actor/collectives/arrival_reductions.h"
#include "actor/node/running_result.h"

namespace mpiactor {
namespace {

class Block {
 public:
  Block(Container& container, const Vector& vector, const Reduction& reduction,
        const FixedLeaders& leaders)
      : container_(container),
        vector_(vector),
        reduction_(reduction),
        running_(container, reduction, vector.elements, container.members()) {
    if (container.nodes().nodes() == 1) return;
    between_.emplace(container, running_.meeting(),
                     Between::Setup{.leaders = &leaders,
                                    .leads = is_fixed_leader(container),
                                    .describe = [this] { return describe(); }});
  }

  template <typename Work>
  void contribute(Work meanwhile) {
    if (running_.contribute(vector_.send, meanwhile) && between_) between_->complete();
  }

  // What can be done now between the nodes; true where anything came forward.
  bool progress() { return between_ && between_->progress(); }

  // Waits for the result and copies it out.
  template <typename Work>
  void finish(Work meanwhile) {
    if (between_) {
      between_->finish_for_all(meanwhile);
    } else {
      running_.wait_complete();
    }
    reduction_.copy(running_.data(), vector_.recv, vector_.elements);
    running_.meeting().leave();
  }

 private:
  NodeExchange::Setup describe() {
    choice_ = container_.choose(inter::Collective::kAllreduce, 0, running_.bytes(),
                                reduction_.element_bytes());
    return {.plan = &choice_->plan,
            .buffer = running_.data(),
            .bytes = running_.bytes(),
            .segment_bytes = choice_->selection.segment_bytes,
            .reduction = &reduction_,
            .in_node_order = choice_->selection.algorithm->combines_in_node_order};
  }

  Container& container_;
  Vector vector_;
  const Reduction& reduction_;
  RunningResult running_;
  std::shared_ptr<const Choice> choice_;
  std::optional<Between> between_;  // several nodes
};

// The blocks that this member has contributed to and has no result of yet.
class Pipeline {
 public:
  explicit Pipeline(Container& container) : container_(container), leaders_(container.nodes()) {}

  std::size_t size() const { return blocks_.size(); }

  void add(const Vector& vector, const Reduction& reduction) {
    blocks_.emplace_back(container_, vector, reduction, leaders_);
    blocks_.back().contribute([this] { return progress(); });
  }

  void finish_first() {
    blocks_.front().finish([this] { return progress(); });
    blocks_.pop_front();
  }

 private:
  bool progress() {
    bool any = false;
    for (Block& block : blocks_) any |= block.progress();
    return any;
  }

  Container& container_;
  FixedLeaders leaders_;
  std::deque<Block> blocks_;  // at most BlocksAhead::ahead + 1
};

}  // namespace

void arrival_allreduce(Container& container, MPI_Comm comm, const Vector& vector,
                       const Reduction& reduction) {
  const std::uint64_t element = reduction.element_bytes();
  const BlocksAhead blocks = running_blocks(container, comm, vector.elements * element, element);
  Pipeline pipeline(container);
  for (std::uint64_t first = 0; first < vector.elements; first += blocks.elements) {
    if (pipeline.size() > blocks.ahead) pipeline.finish_first();
    pipeline.add({vector.send + first * element, vector.recv + first * element,
                  std::min(blocks.elements, vector.elements - first)},
                 reduction);
  }
  while (pipeline.size() != 0) pipeline.finish_first();
}

}  // namespace mpiactor
