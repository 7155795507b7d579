#include "sim/reproduce/arrival_benchmark.h"

#include <algorithm>
#include <cstdint>

namespace mpiactor::sim {

double largest_mean_us(
    const Layout& layout, double skew_us,
    const std::function<std::vector<Picoseconds>(std::span<const Picoseconds> arrivals)>& exits) {
  const int repetitions = skew_us > 0 ? kArrivalRepetitions : 1;
  const auto skew =
      static_cast<Picoseconds>(skew_us * static_cast<double>(kPicosecondsPerMicrosecond));
  std::vector<double> sums(static_cast<std::size_t>(layout.ranks()), 0.0);
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    const std::vector<Picoseconds> arrivals =
        make_arrivals("random", layout, skew, static_cast<std::uint64_t>(repetition));
    const std::vector<Picoseconds> left = exits(arrivals);
    for (std::size_t rank = 0; rank < sums.size(); ++rank) {
      sums[rank] += static_cast<double>(left[rank] - arrivals[rank]);
    }
  }
  return *std::max_element(sums.begin(), sums.end()) / repetitions /
         static_cast<double>(kPicosecondsPerMicrosecond);
}

double largest_mean_us(const CollectiveInput& call, double skew_us) {
  return largest_mean_us(call.layout(), skew_us, [&](std::span<const Picoseconds> arrivals) {
    CollectiveInput drawn = call;
    drawn.arrivals.assign(arrivals.begin(), arrivals.end());
    return run_collective(drawn).exits;
  });
}

}  // namespace mpiactor::sim
