#include "actor/container/way_choice.h"

#include <algorithm>
#include <bit>

namespace mpiactor {

WayChoice::Class& WayChoice::of(std::uint64_t bytes) {
  const auto doubled =
      static_cast<std::size_t>(std::bit_width(std::max(bytes, kShortestBytes) / kShortestBytes)) -
      1;
  return classes_[std::min(doubled, kClasses - 1)];
}

bool WayChoice::Class::is_decided() const {
  const int times = std::min(of_way[0].times, of_way[1].times);
  if (times < kLeastTimes) return false;
  const auto [less, more] = std::minmax(of_way[0].ns_per_byte, of_way[1].ns_per_byte);
  return times >= kFirstTimes || more > kClearly * less;
}

Way WayChoice::next(std::uint64_t bytes) {
  Class& here = of(bytes);
  const int call = here.calls++;
  if (!here.is_decided()) return call % 2 == 0 ? Way::kStaged : Way::kDirect;
  const bool is_direct = here.of_way[static_cast<std::size_t>(Way::kDirect)].ns_per_byte <
                         here.of_way[static_cast<std::size_t>(Way::kStaged)].ns_per_byte;
  constexpr int kEarly = 32;  // the first times may have misled
  const bool tries =
      here.calls % kCallsToTry == 0 || here.calls == kEarly || here.calls == 2 * kEarly;
  return is_direct != tries ? Way::kDirect : Way::kStaged;
}

void WayChoice::took(std::uint64_t bytes, Way way, std::uint64_t ns) {
  Class& here = of(bytes);
  Cost& cost = here.of_way[static_cast<std::size_t>(way)];
  const Cost& other = here.of_way[1 - static_cast<std::size_t>(way)];
  const double now = static_cast<double>(ns) / static_cast<double>(bytes);
  if (cost.times < kFirstTimes) {
    // The first calls touch memory for the first time: the least counts.
    cost.ns_per_byte = cost.times == 0 ? now : std::min(cost.ns_per_byte, now);
    ++cost.times;
    return;
  }
  // A way that is rarely tried gets its chance at once; if it does not last, that shows soon.
  if (cost.ns_per_byte > other.ns_per_byte && now < other.ns_per_byte) {
    cost.ns_per_byte = now;
    return;
  }
  // A rank may lose its core for a moment: one time does not count for much.
  constexpr double kMostGrowth = 2;
  constexpr double kWeight = 0.25;
  const double heard = std::min(now, kMostGrowth * cost.ns_per_byte);
  cost.ns_per_byte += kWeight * (heard - cost.ns_per_byte);
}

}  // namespace mpiactor
