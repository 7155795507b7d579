#include "actor/collectives/one_node_bcast.h"

#include <cstddef>
#include <memory>

#include "actor/background/background.h"
#include "actor/collectives/direct_bcast.h"
#include "actor/collectives/distribution.h"
#include "actor/collectives/timed_call.h"
#include "actor/container/way_choice.h"
#include "actor/container/world.h"
#include "actor/shm/copy.h"
#include "actor/shm/wait.h"
#include "actor/trace/counters.h"
#include "actor/trace/span.h"

namespace mpiactor {
namespace {

// One call on one rank.
class OneNodeBroadcast {
 public:
  OneNodeBroadcast(Container& container, const Message& message, int root)
      : container_(container),
        message_(message),
        root_(root),
        sequence_(container.next_sequence()),
        bytes_(message.bytes()) {}

  // Returns the bytes that the root sent.
  std::uint64_t run() {
    const std::uint64_t sent = container_.rank() == root_ ? give() : take();
    if (!left_) container_.queue().leave(sequence_);
    return sent;
  }

 private:
  // The root, which leads and may choose the way.
  std::uint64_t give() {
    ++trace::counters().led;
    trace::led();
    container_.queue().lead(sequence_);
    if (bytes_ <= competition::kInlineBytes) {
      give_inline();
    } else if (message_.contiguous() &&
               may_go_either_way(container_, bytes_, background::inside())) {
      give_in_time();
    } else {
      give_staged(0);
    }
    return bytes_;
  }

  void give_in_time() {
    const bool background = background::inside();
    TimedCall call(container_, container_.bcast_ways(background), bytes_, background);
    if (call.way() == Way::kStaged) {
      give_staged(call.begun_ns());
      call.end(sequence_);
    } else if (!hand_over_message(container_, sequence_, message_, call.begun_ns())) {
      call.end(sequence_);
      left_ = true;
    } else {
      // Some come too late for that.
      sequence_ = container_.next_sequence();
      container_.queue().lead(sequence_);
      give_staged(0);
      call.end_in_vain();
    }
  }

  // It lies in its slot.
  void give_inline() {
    competition::Slot& slot = container_.queue().slot(sequence_);
    slot.description = {};
    slot.description.sequence = sequence_;
    slot.description.bytes = bytes_;
    trace::first_byte();
    if (const std::byte* const bytes = message_.contiguous()) {
      shm::copy_to_shared(slot.inline_bytes, bytes, bytes_);
    } else {
      message_.pack(slot.inline_bytes);
    }
    container_.queue().publish(sequence_, 1);
    trace::last_byte();
  }

  // `begun_ns`: as of competition::Description.
  void give_staged(std::uint64_t begun_ns) {
    Distribution distribution(container_, sequence_, bytes_, place_message(container_, bytes_), 0);
    container_.queue().slot(sequence_).description.begun_ns = begun_ns;
    std::unique_ptr<std::byte[]> copy;
    offer_message(distribution, message_, copy);
    trace::first_byte();
    while (!distribution.finished()) {
      if (!distribution.step()) distribution.wait_for_room();
    }
    trace::last_byte();
  }

  // Another member.
  std::uint64_t take() {
    const bool may_be_timed = bytes_ >= WayChoice::kShortestBytes;
    const std::uint64_t entered_ns = may_be_timed ? shm::monotonic_ns() : 0;
    if (!is_handed_over(container_, sequence_)) {
      const std::uint64_t sent = follow(container_, sequence_, message_);
      say_time(container_, sequence_, entered_ns);
      return sent;
    }
    const Taken taken = take_message(container_, sequence_, message_, root_, entered_ns);
    left_ = !taken.any_left;
    if (left_) return taken.sent;
    sequence_ = container_.next_sequence();
    if (!taken.is_taken) return follow(container_, sequence_, message_);
    container_.queue().wait_published(sequence_, 0);  // HandOver::any_left() says why
    return taken.sent;
  }

  Container& container_;
  const Message& message_;
  int root_;
  std::uint64_t sequence_;
  std::uint64_t bytes_;
  bool left_ = false;  // the request, already
};

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
  return OneNodeBroadcast(container, message, root).run();
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
