// Reduce in the order of arrival. Members combine their vectors into the node's and go on; on a
// node without the root whoever completes it sends it on. The root combines what its node has and
// what comes from other nodes in the order in which it is there.
#include <algorithm>

#include "actor/between/node_exchange.h"
#include "actor/between/root_exchange.h"
#include "actor/collectives/arrival_reductions.h"
#include "actor/container/progress.h"
#include "actor/node/running_result.h"

namespace mpiactor {
namespace {

class Block {
 public:
  Block(Container& container, inter::Way way, const Vector& vector, const Reduction& reduction,
        int root)
      : container_(container),
        way_(way),
        vector_(vector),
        reduction_(reduction),
        root_(root),
        root_node_(container.nodes().node_of(root)),
        running_(container, reduction, vector.elements,
                 // The root combines its own vector last, into its buffer.
                 container.members() - (container.node() == root_node_)) {}

  void run() {
    if (container_.rank() == root_) {
      collect();
    } else if (container_.node() == root_node_) {
      running_.contribute(vector_.send, [] { return false; });
    } else {
      give();
    }
    running_.meeting().leave();
  }

 private:
  RootExchange to_root(std::byte* node_vector) {
    return {container_, running_.meeting().sequence(), way_, root_, node_vector, running_.bytes(),
            reduction_, Intake::kCombineAsItComes};
  }
  void give();
  void collect();
  void combine_node();
  void run_plan();

  Container& container_;
  inter::Way way_;
  Vector vector_;
  const Reduction& reduction_;
  int root_;
  int root_node_;
  RunningResult running_;
};

// On a node without the root.
void Block::give() {
  NodeToRoot to_root(container_, running_.meeting(), way_, root_, running_.data(), running_.bytes(),
                     reduction_, Intake::kCombineAsItComes);
  if (running_.contribute(vector_.send, [] { return false; })) to_root.complete();
  to_root.finish();
}

// Where all nodes send to the root it takes in what comes, from the beginning; in a plan it may
// have to pass on what its own node has.
void Block::collect() {
  if (vector_.send != vector_.recv) {
    reduction_.copy(vector_.send, vector_.recv, vector_.elements);
  }
  if (container_.nodes().nodes() == 1) {
    running_.wait_complete();
    combine_node();
  } else if (way_ == inter::Way::kDirect) {
    RootExchange exchange = to_root(vector_.recv);
    work_until([this] { return running_.is_complete(); }, [&] { return exchange.progress(); });
    combine_node();
    exchange.finish();
  } else {
    running_.wait_complete();
    combine_node();
    run_plan();
  }
}

// It may bring parts of the result as they lie on other nodes, gaps included.
void Block::run_plan() {
  if (!reduction_.has_gaps()) {
    to_root(vector_.recv).finish();
    return;
  }
  reduction_.copy(vector_.recv, running_.data(), vector_.elements);
  to_root(running_.data()).finish();
  reduction_.copy(running_.data(), vector_.recv, vector_.elements);
}

void Block::combine_node() {
  if (container_.members() == 1) return;
  reduction_.combine(running_.data(), vector_.recv, vector_.recv, vector_.elements);
}

}  // namespace

void arrival_reduce(Container& container, MPI_Comm comm, inter::Way way, const Vector& vector,
                    const Reduction& reduction, int root) {
  const std::uint64_t element = reduction.element_bytes();
  // Nobody holds one block while taking the next.
  const BlocksAhead blocks = running_blocks(container, comm, vector.elements * element, element);
  for (std::uint64_t first = 0; first < vector.elements; first += blocks.elements) {
    std::byte* const recv = vector.recv ? vector.recv + first * element : nullptr;
    Block(container, way,
          {vector.send + first * element, recv, std::min(blocks.elements, vector.elements - first)},
          reduction, root)
        .run();
  }
}

}  // namespace mpiactor
