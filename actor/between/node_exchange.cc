#include "actor/between/node_exchange.h"

#include <utility>

#include "actor/container/progress.h"
#include "actor/container/world.h"
#include "actor/trace/counters.h"
#include "actor/trace/span.h"

namespace mpiactor {

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
    // Both sides of a swap combine in the order of their nodes, so both get the same bits.
    engine.combine = [reduction = setup.reduction, buffer = setup.buffer, node = container.node()](
                         const std::byte* incoming, std::uint64_t offset, std::uint64_t bytes,
                         int peer) {
      std::byte* const own = buffer + offset;
      const std::uint64_t elements = bytes / reduction->element_bytes();
      if (peer < node) {
        reduction->combine(incoming, own, own, elements);
      } else {
        reduction->combine(own, incoming, own, elements);
      }
    };
  }
  ++trace::counters().led;
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
