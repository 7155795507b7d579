#include "actor/between/node_exchange.h"

#include <memory>
#include <utility>

#include "actor/container/progress.h"
#include "actor/container/world.h"
#include "actor/trace/span.h"
#include "inter/kept_bytes.h"

namespace mpiactor {
namespace {

using Combine = decltype(inter::EngineSetup::combine);

// Both sides of a swap combine in the order of their nodes, so both get the same bits.
Combine combine_in_place(const Reduction& reduction, std::byte* buffer, int node) {
  return [&reduction, buffer, node](const std::byte* incoming, std::uint64_t offset,
                                    std::uint64_t bytes, int peer) {
    std::byte* const own = buffer + offset;
    const std::uint64_t elements = bytes / reduction.element_bytes();
    if (peer < node) {
      reduction.combine(incoming, own, own, elements);
    } else {
      reduction.combine(own, incoming, own, elements);
    }
  };
}

// All other nodes' vectors come, in the order of the nodes. This node's one waits for its turn in a
// copy, of `bytes`.
Combine combine_in_node_order(const Reduction& reduction, std::byte* buffer, std::uint64_t bytes,
                              int node) {
  if (node == 0) return combine_in_place(reduction, buffer, node);
  const auto copy = std::make_shared<inter::KeptBytes>();
  return [&reduction, buffer, bytes, node, copy](const std::byte* incoming, std::uint64_t offset,
                                                 std::uint64_t size, int peer) {
    if (copy->size() == 0) *copy = inter::KeptBytes(bytes);
    std::byte* const combined = buffer + offset;
    const std::uint64_t elements = size / reduction.element_bytes();
    if (peer == 0) {
      reduction.copy(combined, copy->data() + offset, elements);
      reduction.copy(incoming, combined, elements);
    } else {
      reduction.combine(combined, incoming, combined, elements);
    }
    if (peer == node - 1) {
      reduction.combine(combined, copy->data() + offset, combined, elements);
    }
  };
}

}  // namespace

NodeExchange::NodeExchange(Container& container, std::uint64_t sequence, const Setup& setup) {
  inter::EngineSetup engine;
  engine.comm = container.inter_comm();
  engine.ranks = &container.inter_ranks();
  engine.plan = setup.plan;
  engine.leaders = setup.leaders;
  engine.node = container.node();
  engine.rank = container.rank();
  engine.sequence = container.message_number(sequence);
  engine.message_bytes = setup.bytes;
  engine.buffer = setup.buffer;
  engine.capacity = setup.bytes;
  engine.segment_bytes = setup.segment_bytes;
  engine.window = world()->settings.window;
  engine.peers = &container.peers();
  engine.direct = true;
  engine.from_any = setup.from_any_member;
  engine.synchronous = setup.synchronous;
  engine.arrived = setup.arrived;
  if (setup.reduction) {
    engine.combine =
        setup.in_node_order
            ? combine_in_node_order(*setup.reduction, setup.buffer, setup.bytes, container.node())
            : combine_in_place(*setup.reduction, setup.buffer, container.node());
  }
  trace::led();
  if (trace::Span* const span = trace::current()) {
    if (!span->has_algorithm()) span->algorithm("direct");
    engine.arrived = [arrived = setup.arrived](std::uint64_t offset, std::uint64_t bytes) {
      trace::first_byte();
      trace::last_byte();
      if (arrived) arrived(offset, bytes);
    };
  }
  engine_.emplace(std::move(engine));
}

bool NodeExchange::progress() { return !engine_->done() && engine_->progress(); }

void NodeExchange::finish() {
  work_until([this] { return engine_->done(); }, [this] { return engine_->progress(); });
}

}  // namespace mpiactor
