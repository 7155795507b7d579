#include "bench/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mpiactor::bench {

double percentile(const std::vector<double>& sorted, double percent) {
  const double position = percent / 100.0 * static_cast<double>(sorted.size() - 1);
  const double below = std::floor(position);
  const auto index = static_cast<std::size_t>(below);
  if (index + 1 >= sorted.size()) return sorted.back();
  return std::lerp(sorted[index], sorted[index + 1], position - below);
}

Distribution describe(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  const double sum = std::accumulate(samples.begin(), samples.end(), 0.0);
  return {.mean = sum / static_cast<double>(samples.size()),
          .p50 = percentile(samples, 50),
          .p95 = percentile(samples, 95),
          .max = samples.back()};
}

}  // namespace mpiactor::bench
