// Allreduce in the order of arrival. Members combine their vectors into the node's, block after
// block, and run some blocks ahead of the results; the home takes a node's complete blocks to the
// other nodes.
#include <algorithm>
#include <deque>
#include <memory>
#include <optional>

#include "actor/collectives/arrival_reductions.h"
#include "actor/collectives/node_exchange.h"
#include "actor/collectives/running_result.h"

namespace mpiactor {
namespace {

class Block {
 public:
  Block(Container& container, const Vector& vector, const Reduction& reduction)
      : container_(container),
        vector_(vector),
        reduction_(reduction),
        running_(container, reduction, vector.elements, container.members()) {}

  template <typename Work>
  void contribute(Work meanwhile) {
    running_.contribute(vector_.send, meanwhile);
  }

  // Home: what can be done now between the nodes; true where anything came forward.
  bool advance(const Homes& homes);
  bool is_between_nodes() const { return exchange_ && !is_published_; }
  bool is_published() const { return is_published_; }
  void wait_complete() { running_.wait_complete(); }
  // Several nodes, not the home.
  void wait_published() { running_.meeting().wait_result(); }

  // The result is there.
  void take() {
    reduction_.copy(running_.data(), vector_.recv, vector_.elements);
    running_.meeting().leave();
  }

 private:
  Container& container_;
  Vector vector_;
  const Reduction& reduction_;
  RunningResult running_;
  std::shared_ptr<const Choice> choice_;
  std::optional<NodeExchange> exchange_;
  bool is_published_ = false;
};

bool Block::advance(const Homes& homes) {
  if (is_published_) return false;
  if (!exchange_) {
    if (!running_.is_complete()) return false;
    choice_ = container_.choose(inter::Collective::kAllreduce, 0, running_.bytes(),
                                reduction_.element_bytes());
    exchange_.emplace(container_, running_.meeting().sequence(),
                      NodeExchange::Setup{.plan = &choice_->plan,
                                          .leaders = &homes,
                                          .buffer = running_.data(),
                                          .bytes = running_.bytes(),
                                          .segment_bytes = choice_->selection.segment_bytes,
                                          .reduction = &reduction_});
    return true;
  }
  const bool any = exchange_->progress();
  if (!exchange_->done()) return any;
  running_.meeting().publish_result();
  is_published_ = true;
  return true;
}

// The blocks that this member has contributed to and has no result of yet.
class Pipeline {
 public:
  explicit Pipeline(Container& container)
      : container_(container),
        homes_(container.nodes()),
        talks_(container.nodes().nodes() > 1 && is_home(container)) {}

  std::size_t size() const { return blocks_.size(); }

  void add(const Vector& vector, const Reduction& reduction) {
    blocks_.emplace_back(container_, vector, reduction);
    blocks_.back().contribute([this] { return advance(); });
  }

  // Waits for the result of the first block, takes it.
  void finish_first() {
    Block& first = blocks_.front();
    if (talks_) {
      talk_until_published(first);
    } else if (container_.nodes().nodes() > 1) {
      first.wait_published();
    } else {
      first.wait_complete();
    }
    first.take();
    blocks_.pop_front();
  }

 private:
  bool advance() {
    if (!talks_) return false;
    bool any = false;
    for (Block& block : blocks_) any |= block.advance(homes_);
    return any;
  }
  void talk_until_published(Block& first);

  Container& container_;
  Homes homes_;
  bool talks_;
  std::deque<Block> blocks_;  // at most BlocksAhead::ahead + 1
};

void Pipeline::talk_until_published(Block& first) {
  shm::Backoff backoff(world()->wait);
  while (!first.is_published()) {
    if (advance()) {
      backoff.reset();
    } else if (!first.is_between_nodes()) {
      first.wait_complete();  // nothing of a later block can be between the nodes
    } else if (backoff.spin()) {
      backoff.nap();
    }
  }
}

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
