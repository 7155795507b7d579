#include "actor/collectives/root_exchange.h"

#include <vector>

#include "actor/container/world.h"
#include "actor/trace/span.h"
#include "inter/ways.h"

namespace mpiactor {
namespace {

// All others to the root's node.
inter::Plan star(const Container& container, int root_node, std::uint64_t bytes, Intake intake) {
  const int nodes = container.nodes().nodes();
  const bool collects = container.node() == root_node;
  std::vector<Transfer> transfers;
  for (int node = 0; node < nodes; ++node) {
    if (collects ? node != root_node : node == root_node) transfers.push_back({node, 0, bytes});
  }
  const std::span<const Transfer> none;
  return exchange_plan(container.node(), nodes, collects ? none : transfers,
                       collects ? transfers : none, intake);
}

}  // namespace

bool all_send_to_root(const Container& container) {
  return container.nodes().nodes() <= inter::kReduceStarNodes;
}

RootExchange::RootExchange(Container& container, std::uint64_t sequence, int root,
                           std::byte* buffer, std::uint64_t bytes, const Reduction& reduction,
                           Intake intake)
    : homes_(container.nodes(), root), collectors_(container.nodes(), root) {
  const int root_node = container.nodes().node_of(root);
  const auto choose = [&]() -> const inter::Selection& {
    choice_ =
        container.choose(inter::Collective::kReduce, root_node, bytes, reduction.element_bytes());
    return choice_->selection;
  };
  NodeExchange::Setup setup{.buffer = buffer,
                            .bytes = bytes,
                            .segment_bytes = bytes,
                            .reduction = &reduction,
                            .synchronous = must_wait_for_receiver(sequence)};
  if (all_send_to_root(container)) {
    plan_ = star(container, root_node, bytes, intake);
    setup.plan = &plan_;
    setup.leaders = &collectors_;
    // Whole vectors are quickest, but the root must take them all in.
    if (world()->settings.memory.is_limited()) {
      setup.segment_bytes = choose().segment_bytes;
      trace::algorithm("direct");
    }
  } else {
    setup.segment_bytes = choose().segment_bytes;
    setup.plan = &choice_->plan;
    setup.leaders = &homes_;
  }
  exchange_.emplace(container, sequence, setup);
}

}  // namespace mpiactor
