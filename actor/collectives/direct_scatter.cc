#include "actor/collectives/direct_scatter.h"

#include <unistd.h>

#include <atomic>

#include "actor/competition/request_queue.h"
#include "actor/container/world.h"
#include "actor/shm/single_copy.h"
#include "actor/shm/wait.h"
#include "actor/trace/counters.h"

namespace mpiactor {
namespace {

// What happens to a member's block. The root and that member both want to decide whether it goes
// directly: one compare-and-swap does.
enum State : std::uint64_t {
  kOpen,     // nothing yet
  kReading,  // the member reads, and the root must wait
  kRead,     // done
  kStaged,   // goes through staging
};

struct Line {
  std::atomic<std::uint64_t> word;  // a State
  std::uint64_t address;            // of what may be read, and in which process
  std::int32_t pid;
  std::byte apart[40];  // no two words share a cache line
};
static_assert(sizeof(Line) == 64);

// The lines of one request's slot.
class Lines {
 public:
  Lines(Container& container, std::uint64_t sequence)
      : lines_(reinterpret_cast<Line*>(container.queue().slot(sequence).inline_bytes)),
        members_(container.members()) {}

  // By one member, before the others look.
  void clear() {
    for (int member = 0; member < members_; ++member) {
      lines_[member].word.store(kOpen, std::memory_order_relaxed);
    }
  }
  State state(int member) const {
    // Acquire: the address that was offered; after kRead nobody reads any more.
    return static_cast<State>(lines_[member].word.load(std::memory_order_acquire));
  }
  // Whether it was `from` and is `to` now.
  bool change(int member, State from, State to) {
    std::uint64_t seen = from;
    return lines_[member].word.compare_exchange_strong(seen, to, std::memory_order_acq_rel,
                                                       std::memory_order_relaxed);
  }
  // By whoever has made it kReading.
  void set(int member, State to) { lines_[member].word.store(to, std::memory_order_release); }
  void say_where(int member, const std::byte* memory) {
    lines_[member].address = reinterpret_cast<std::uint64_t>(memory);
    lines_[member].pid = getpid();
  }
  // `bytes` from `offset` of what `member` has said, in the state `reader`.
  void read(int member, std::uint64_t offset, std::uint64_t bytes, std::byte* to, int reader) {
    const Line& from = lines_[member];
    set(reader, shm::read_process(from.pid, from.address + offset, to, bytes) ? kRead : kStaged);
  }

 private:
  Line* lines_;
  int members_;
};

// Polls until done() or the time that staging would cost has passed.
template <typename Done>
void wait_in_vain_at_most(std::uint64_t bytes, Done done) {
  constexpr std::uint64_t kLeastNs = 20'000;
  constexpr std::uint64_t kBytesPerNs = 4;
  const std::uint64_t end_ns = shm::monotonic_ns() + kLeastNs + bytes / kBytesPerNs;
  shm::Backoff backoff(world()->wait);
  while (!done() && shm::monotonic_ns() < end_ns) {
    if (backoff.spin()) backoff.nap();
  }
}

template <typename Done>
void wait_for(Done done) {
  shm::Backoff backoff(world()->wait);
  while (!done()) {
    if (backoff.spin()) backoff.nap();
  }
}

// What is published of a request: that its lines are there, and at last, by the root, how it ended.
constexpr std::uint64_t kBegun = 1;
constexpr std::uint64_t kAllMoved = 2;
constexpr std::uint64_t kSomeLeft = 3;

// Root: which blocks are left; tells the others.
LeftBlocks conclude(Container& container, std::uint64_t sequence, const Lines& lines) {
  LeftBlocks left{.any = false,
                  .of_member = std::vector<bool>(static_cast<std::size_t>(container.members()))};
  for (int member = 0; member < container.members(); ++member) {
    if (member == container.member() || lines.state(member) != kStaged) continue;
    left.of_member[static_cast<std::size_t>(member)] = true;
    left.any = true;
  }
  container.queue().publish(sequence, left.any ? kSomeLeft : kAllMoved);
  container.queue().leave(sequence);
  if (!left.any) ++trace::counters().single_copy;
  return left;
}

// Another member: what the root has concluded, where `staged` says what became of its own block.
LeftBlocks hear(Container& container, std::uint64_t sequence, bool staged) {
  LeftBlocks left{.any = staged,
                  .of_member = std::vector<bool>(static_cast<std::size_t>(container.members()))};
  left.of_member[static_cast<std::size_t>(container.member())] = staged;
  if (!staged) left.any = container.queue().wait_published(sequence, kBegun) == kSomeLeft;
  container.queue().leave(sequence);
  if (!left.any) ++trace::counters().single_copy;
  return left;
}

class DirectScatter {
 public:
  DirectScatter(Container& container, std::uint64_t bytes)
      : container_(container),
        bytes_(bytes),
        sequence_(container.next_sequence()),
        lines_(container, sequence_),
        me_(container.member()) {
    if (container_.drops().size() != 0) container_.drops().sweep();
  }

  LeftBlocks give(RankBlocks& all, RankBlocks* mine);
  LeftBlocks take(RankBlocks& mine, int root);

 private:
  // All others' blocks: how long to wait for late ranks.
  std::uint64_t all_bytes() const {
    return bytes_ * static_cast<std::uint64_t>(container_.members() - 1);
  }
  template <typename Holds>
  bool all_others(Holds holds) const {
    for (int member = 0; member < container_.members(); ++member) {
      if (member != me_ && !holds(member)) return false;
    }
    return true;
  }

  Container& container_;
  std::uint64_t bytes_;
  std::uint64_t sequence_;
  Lines lines_;
  int me_;
};

LeftBlocks DirectScatter::give(RankBlocks& all, RankBlocks* mine) {
  const bool readable = all.contiguous(0) != nullptr;
  container_.queue().lead(sequence_);
  lines_.clear();
  lines_.say_where(me_, all.contiguous(0));
  if (readable) container_.queue().publish(sequence_, kBegun);
  if (mine) copy_block(*mine, 0, all, container_.rank());
  const auto is_decided = [&](int member) { return lines_.state(member) != kOpen; };
  if (readable) wait_in_vain_at_most(all_bytes(), [&] { return all_others(is_decided); });
  for (int member = 0; member < container_.members(); ++member) {
    if (member != me_) lines_.change(member, kOpen, kStaged);
  }
  wait_for(
      [&] { return all_others([&](int member) { return lines_.state(member) != kReading; }); });
  return conclude(container_, sequence_, lines_);
}

LeftBlocks DirectScatter::take(RankBlocks& mine, int root) {
  container_.queue().wait_published(sequence_, 0);
  if (!mine.contiguous(0)) {
    lines_.change(me_, kOpen, kStaged);
  } else if (lines_.change(me_, kOpen, kReading)) {
    lines_.read(container_.nodes().member_index(root),
                static_cast<std::uint64_t>(container_.rank()) * bytes_, bytes_, mine.contiguous(0),
                me_);
  }
  return hear(container_, sequence_, lines_.state(me_) == kStaged);
}

}  // namespace

LeftBlocks direct_scatter(Container& container, std::uint64_t bytes, RankBlocks* all,
                          RankBlocks* mine, int root) {
  DirectScatter call(container, bytes);
  return container.rank() == root ? call.give(*all, mine) : call.take(*mine, root);
}

bool can_hand_over(const Container& container) {
  return static_cast<std::uint64_t>(container.members()) * sizeof(Line) <=
         competition::kInlineBytes;
}

}  // namespace mpiactor
