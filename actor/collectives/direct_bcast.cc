#include "actor/collectives/direct_bcast.h"

#include <algorithm>
#include <cstddef>
#include <memory>

#include "actor/collectives/hand_over.h"
#include "actor/collectives/timed_call.h"
#include "actor/competition/request_queue.h"
#include "actor/trace/counters.h"
#include "actor/trace/span.h"

namespace mpiactor {

bool hand_over_message(Container& container, std::uint64_t sequence, const Message& message,
                       std::uint64_t begun_ns) {
  competition::RequestQueue& queue = container.queue();
  competition::Description& description = queue.slot(sequence).description;
  description = {};
  description.sequence = sequence;
  description.bytes = message.bytes();
  description.is_direct = 1;
  description.begun_ns = begun_ns;
  HandOver hand_over(container, sequence);
  trace::first_byte();
  hand_over.offer(message.contiguous());
  const bool any_left = hand_over.close(message.bytes());
  queue.leave(sequence);
  if (any_left) return true;
  trace::last_byte();
  ++trace::counters().single_copy;
  return false;
}

bool is_handed_over(Container& container, std::uint64_t sequence) {
  container.queue().wait_published(sequence, 0);
  return container.queue().slot(sequence).description.is_direct != 0;
}

Taken take_message(Container& container, std::uint64_t sequence, const Message& message, int root,
                   std::uint64_t entered_ns) {
  Taken result;
  result.sent = container.queue().slot(sequence).description.bytes;
  trace::first_byte();
  std::byte* target = message.contiguous();
  std::uint64_t bytes = std::min(result.sent, message.bytes());
  std::unique_ptr<std::byte[]> copy;  // of a type with gaps
  if (!target) {
    bytes = result.sent;
    copy.reset(new std::byte[bytes]);
    target = copy.get();
  }
  HandOver hand_over(container, sequence);
  result.is_taken = hand_over.take(container.nodes().member_index(root), 0, bytes, target);
  if (result.is_taken) {
    if (copy) message.unpack(target, result.sent);
    trace::last_byte();
    say_time(container, sequence, entered_ns);
    ++trace::counters().single_copy;
  }
  result.any_left = hand_over.any_left(result.is_taken);
  container.queue().leave(sequence);
  return result;
}

}  // namespace mpiactor
