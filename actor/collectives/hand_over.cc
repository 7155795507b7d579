#include "actor/collectives/hand_over.h"

#include <unistd.h>

#include "actor/competition/request_queue.h"
#include "actor/container/progress.h"
#include "actor/shm/single_copy.h"
#include "actor/shm/wait.h"

namespace mpiactor {

void poll_until(const std::function<bool()>& done) {
  work_until(done, [] { return false; });
}

void poll_in_time(const std::function<bool()>& done, std::uint64_t bytes) {
  constexpr std::uint64_t kLeastNs = 20'000;
  constexpr std::uint64_t kBytesPerNs = 4;
  const std::uint64_t end_ns = shm::monotonic_ns() + kLeastNs + bytes / kBytesPerNs;
  poll_until([&] { return done() || shm::monotonic_ns() >= end_ns; });
}

HandOver::HandOver(Container& container, std::uint64_t sequence)
    : container_(container),
      sequence_(sequence),
      lines_(reinterpret_cast<Line*>(container.queue().slot(sequence).inline_bytes)) {}

bool HandOver::fits(const Container& container) {
  return static_cast<std::uint64_t>(container.members()) * sizeof(Line) <=
         competition::kInlineBytes;
}

bool HandOver::change(int member, State from, State to) {
  std::uint64_t seen = from;
  return lines_[member].word.compare_exchange_strong(seen, to, std::memory_order_acq_rel,
                                                     std::memory_order_relaxed);
}

template <typename Holds>
bool HandOver::all_others(Holds holds) const {
  for (int member = 0; member < container_.members(); ++member) {
    if (member != container_.member() && !holds(state(member))) return false;
  }
  return true;
}

void HandOver::offer(const std::byte* memory) {
  for (int member = 0; member < container_.members(); ++member) {
    lines_[member].word.store(kOpen, std::memory_order_relaxed);
  }
  lines_[container_.member()].address = reinterpret_cast<std::uint64_t>(memory);
  lines_[container_.member()].pid = getpid();
  if (memory) container_.queue().publish(sequence_, kOffered);
}

bool HandOver::close(std::uint64_t bytes) {
  if (lines_[container_.member()].address != 0) {
    poll_in_time([&] { return all_others([](State state) { return state != kOpen; }); }, bytes);
  }
  for (int member = 0; member < container_.members(); ++member) {
    if (member != container_.member()) change(member, kOpen, kLeft);
  }
  poll_until([&] { return all_others([](State state) { return state != kReading; }); });
  const bool all_taken = all_others([](State state) { return state == kRead; });
  container_.queue().publish(sequence_, all_taken ? kAllTaken : kSomeLeft);
  return !all_taken;
}

bool HandOver::take(int giver, std::uint64_t offset, std::uint64_t bytes, std::byte* to) {
  const int me = container_.member();
  container_.queue().wait_published(sequence_, 0);
  if (!to) {
    change(me, kOpen, kLeft);
    return false;
  }
  if (!change(me, kOpen, kReading)) return false;
  const Line& from = lines_[giver];
  const bool good = shm::read_process(from.pid, from.address + offset, to, bytes);
  lines_[me].word.store(good ? kRead : kLeft, std::memory_order_release);
  return good;
}

bool HandOver::any_left(bool has_taken) {
  if (!has_taken) return true;
  if (container_.members() == 2) return false;  // there is nobody else
  return container_.queue().wait_published(sequence_, kOffered) == kSomeLeft;
}

}  // namespace mpiactor
