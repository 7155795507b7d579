// Mean and percentiles of measured samples.
#ifndef MPIACTOR_BENCH_STATISTICS_H_
#define MPIACTOR_BENCH_STATISTICS_H_

#include <vector>

namespace mpiactor::bench {

// What one measured quantity looked like, in the unit of its samples; zeros if there were none.
struct Distribution {
  double mean = 0;
  double p50 = 0;
  double p95 = 0;
  double max = 0;
};

// The `percent` (0..100) percentile of ascending `sorted` (not empty), interpolated linearly
// between the two nearest samples: position percent/100 * (n - 1), so that 0 is the least, 50 the
// median and 100 the greatest sample.
double percentile(const std::vector<double>& sorted, double percent);

Distribution describe(std::vector<double> samples);

}  // namespace mpiactor::bench

#endif  // MPIACTOR_BENCH_STATISTICS_H_
