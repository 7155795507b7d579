#include "actor/container/copy_choice.h"

#include <algorithm>
#include <cstdlib>

namespace mpiactor {
namespace {

// Means forget: a value counts for 1 / weight.
constexpr std::int64_t kCopies = 8;
constexpr std::int64_t kMemory = 64;
// A copy that took more than so many times the mean was interrupted.
constexpr std::int64_t kMostTimes = 4;
// Comers before there is a mean.
constexpr std::int64_t kFewest = 8;
// Who waits for first leaders loses about an eighth of the unevenness at each call: a loop of ranks
// with delays up to n, played for 2 to 16 nodes, takes as long with copies to all as with one a
// node where the copies take n / 12 to n / 50, mostly n / 25. Members then are n / 3 uneven.
constexpr std::uint64_t kWorth = 8;

std::int64_t read(const std::atomic<std::uint32_t>& mean) {
  return mean.load(std::memory_order_relaxed);
}

void move(std::atomic<std::uint32_t>& mean, CopyChoice::Time value, std::int64_t weight) {
  const std::int64_t moved = read(mean) + (value.count() - read(mean)) / weight;
  mean.store(static_cast<std::uint32_t>(std::clamp<std::int64_t>(moved, 0, UINT32_MAX)),
             std::memory_order_relaxed);
}

}  // namespace

void CopyChoice::sent(Time each) {
  const Time mean(read(copy_ns_));
  move(copy_ns_, mean.count() == 0 ? each : std::min(each, kMostTimes * mean),
       mean.count() == 0 ? 1 : kCopies);
}

// All values count the same until there are enough.
std::int64_t CopyChoice::weight() const { return std::min(read(comers_) + 1, kMemory); }

void CopyChoice::beside_leader(Time late) { came(late, weight()); }

void CopyChoice::beside_root(Time late) {
  const std::int64_t weight = this->weight();
  move(after_root_ns_, late, weight);
  came(std::chrono::abs(late - Time(read(after_root_ns_))), weight);
}

void CopyChoice::came(Time uneven, std::int64_t weight) {
  move(uneven_ns_, uneven, weight);
  comers_.store(static_cast<std::uint32_t>(weight), std::memory_order_relaxed);
}

void CopyChoice::other_node(Time uneven, int nodes) {
  constexpr int kRounds = 2;  // of all others that count
  move(others_ns_, uneven, kRounds * (nodes - 1));
}

bool CopyChoice::one_will_do(std::size_t copies) const {
  if (read(comers_) < kFewest) return false;
  return static_cast<std::uint64_t>(std::max(read(uneven_ns_), read(others_ns_))) <=
         kWorth * copies * static_cast<std::uint64_t>(read(copy_ns_));
}

}  // namespace mpiactor
