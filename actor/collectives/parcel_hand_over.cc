#include "actor/collectives/parcel_hand_over.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "actor/collectives/hand_over.h"
#include "actor/container/world.h"
#include "actor/shm/single_copy.h"
#include "actor/shm/wait.h"
#include "actor/trace/counters.h"

namespace mpiactor {
namespace {

using competition::stamp;

// Of a claim, with the request's sequence.
enum State : std::uint64_t {
  kOpen,     // nobody yet
  kReading,  // the taker reads, and the giver must wait
  kRead,     // done
  kLeft,     // the giver gives it in another way
};

// Whether it was `from` and is `to` now. Acquire: whoever finds it open sees the address.
bool change(Parcel& parcel, std::uint64_t sequence, State from, State to) {
  std::uint64_t seen = stamp(sequence, from);
  return parcel.claim.compare_exchange_strong(seen, stamp(sequence, to), std::memory_order_acq_rel,
                                              std::memory_order_relaxed);
}

}  // namespace

void ParcelHandOver::offer(Parcel& parcel, int block) {
  parcel.bytes = from_.bytes(block);
  parcel.address = reinterpret_cast<std::uint64_t>(from_.contiguous(block));
  parcel.pid = getpid();
  parcel.claim.store(stamp(parcels_.sequence, kOpen), std::memory_order_release);
  parcel.filled.publish(stamp(parcels_.sequence, 0));
  offered_.push_back({&parcel, block});
}

template <typename State>
bool ParcelHandOver::none_is(State state) const {
  return std::none_of(offered_.begin(), offered_.end(), [&](const Offered& each) {
    return each.parcel->claim.load(std::memory_order_acquire) == stamp(parcels_.sequence, state);
  });
}

std::vector<int> ParcelHandOver::close() {
  std::uint64_t bytes = 0;
  for (const Offered& each : offered_) bytes += from_.bytes(each.block);
  poll_in_time([&] { return none_is(kOpen); }, bytes);
  for (const Offered& each : offered_) change(*each.parcel, parcels_.sequence, kOpen, kLeft);
  poll_until([&] { return none_is(kReading); });
  std::vector<int> left;
  for (const Offered& each : offered_) {
    if (each.parcel->claim.load(std::memory_order_acquire) == stamp(parcels_.sequence, kLeft)) {
      left.push_back(each.block);
    }
  }
  if (left.empty()) ++trace::counters().single_copy;
  return left;
}

bool take_directly(const Parcels& parcels, Parcel& parcel, RankBlocks& to, int block,
                   std::uint64_t capacity) {
  const std::uint64_t said = stamp(parcels.sequence, 0);
  shm::wait_until(parcel.filled, world()->wait,
                  [=](std::uint64_t filled) { return filled >= said; });
  if (!change(parcel, parcels.sequence, kOpen, kReading)) return false;
  const std::uint64_t bytes = std::min(parcel.bytes, capacity);
  std::byte* target = to.contiguous(block);
  std::vector<std::byte> packed(target ? 0 : bytes);
  if (!target) target = packed.data();
  const bool is_read = shm::read_process(parcel.pid, parcel.address, target, bytes);
  // Release: the giver goes on, and its buffer may change, only when it sees this.
  parcel.claim.store(stamp(parcels.sequence, is_read ? kRead : kLeft), std::memory_order_release);
  if (!is_read) return false;
  if (!packed.empty()) to.write(block, 0, bytes, packed.data());
  ++trace::counters().single_copy;
  return true;
}

}  // namespace mpiactor
