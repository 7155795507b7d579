#include "actor/collectives/one_node_bcast.h"

#include <cstddef>
#include <memory>

#include "actor/collectives/operation.h"
#include "actor/container/world.h"
#include "actor/node/distribution.h"
#include "actor/shm/copy.h"
#include "actor/shm/wait.h"
#include "actor/trace/counters.h"
#include "actor/trace/span.h"

namespace mpiactor {
namespace {

// It lies in its slot.
void give_inline(Container& container, std::uint64_t sequence, const Message& message) {
  competition::Slot& slot = container.queue().slot(sequence);
  slot.description = {.sequence = sequence, .bytes = message.bytes()};
  trace::first_byte();
  if (const std::byte* const bytes = message.contiguous()) {
    shm::copy_to_shared(slot.inline_bytes, bytes, message.bytes());
  } else {
    message.pack(slot.inline_bytes);
  }
  container.queue().publish(sequence, 1);
  trace::last_byte();
}

void give_staged(Container& container, std::uint64_t sequence, const Message& message) {
  Distribution distribution(container, sequence, message.bytes(),
                            place_message(container, message.bytes()), 0);
  std::unique_ptr<std::byte[]> copy;
  offer_message(distribution, message, copy);
  trace::first_byte();
  while (!distribution.finished()) {
    if (!distribution.step()) distribution.wait_for_room();
  }
  trace::last_byte();
}

// Between two members: whether the one that comes first may say where it wants the message, and the
// root writes it there.
bool goes_into_room(const Container& container, const Message& message, int root) {
  return container.members() == 2 && message.bytes() > competition::kInlineBytes &&
         message.contiguous() &&
         way_of(CallFacts::bcast(root, message.bytes()), container) == inter::Way::kSingleCopy;
}

// False: the other member has not come, or the system refuses.
bool give_into_room(Container& container, std::uint64_t sequence, const Message& message) {
  trace::first_byte();
  const shm::Room& room = container.queue().room(1 - container.member());
  if (!room.fill(sequence, message.contiguous(), message.bytes(), !world()->crowded)) return false;
  container.queue().slot(sequence).description = {
      .sequence = sequence, .bytes = message.bytes(), .is_in_room = true};
  container.queue().publish(sequence, 1);
  trace::last_byte();
  ++trace::counters().single_copy;
  return true;
}

// The root, which leads.
void give(Container& container, std::uint64_t sequence, const Message& message) {
  trace::led();
  container.queue().lead(sequence);
  if (message.bytes() <= competition::kInlineBytes) {
    give_inline(container, sequence, message);
  } else if (!goes_into_room(container, message, container.rank()) ||
             !give_into_room(container, sequence, message)) {
    give_staged(container, sequence, message);
  }
}

// Whether the request is published within half a microsecond or so.
bool comes_soon(const competition::Slot& slot, std::uint64_t sequence) {
  constexpr int kLooks = 32;
  const int looks = world()->crowded ? 1 : kLooks;
  for (int look = 1;; ++look) {
    if (slot.published.load() >= competition::stamp(sequence, 1)) return true;
    if (look >= looks) return false;
    shm::cpu_relax();
  }
}

}  // namespace

std::uint64_t one_node_bcast(Container& container, const Message& message, int root) {
  const std::uint64_t sequence = container.next_sequence();
  std::uint64_t sent = message.bytes();
  if (container.rank() == root) {
    give(container, sequence, message);
  } else {
    if (goes_into_room(container, message, root)) {
      container.queue()
          .room(container.member())
          .open(sequence, message.contiguous(), message.bytes());
    }
    sent = follow(container, sequence, message);
  }
  container.queue().leave(sequence);
  return sent;
}

bool one_node_bcast_need_not_wait(Container& container, const Message& message, int root) {
  if (message.bytes() > competition::kInlineBytes) return false;
  competition::RequestQueue& queue = container.queue();
  const std::uint64_t sequence = container.upcoming_sequence();
  if (container.rank() == root) return queue.is_free(sequence);
  if (!comes_soon(queue.slot(sequence), sequence)) return false;
  const competition::Description& description = queue.slot(sequence).description;
  return description.bytes == message.bytes();
}

}  // namespace mpiactor
