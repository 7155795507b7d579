// Sums of squares and products about the mean, for one column and for a pair with gaps.
#ifndef MPIACTOR_APPS_VCC_MOMENTS_H_
#define MPIACTOR_APPS_VCC_MOMENTS_H_

#include <cstdint>

namespace mpiactor::vcc {

// Columns have a multiple of kLanes numbers, padding included, and lie on cache lines. All sums run
// over kLanes partial sums in one order without fused operations, so that they are the same on
// every processor. A constant column gives zeros exactly, whatever its value.

// Writes `values`, of which the first `observations` are present, less their mean to `centred`,
// zeros into the padding; returns the sum of the squares. Centres twice: the second mean is that of
// numbers of the size of the deviations, which a large offset no longer blurs.
double centre(const double* values, std::int64_t observations, double* centred);

struct PairMoments {
  std::int64_t common = 0;  // observations where neither is missing
  // Sums over those, about the means over those.
  double xx = 0.0;
  double yy = 0.0;
  double xy = 0.0;
};

// Two passes: means, then products of deviations, corrected for what the rounding of the means
// leaves (Chan, Golub and LeVeque 1983, "corrected two-pass algorithm"). `length`: of the columns,
// padding included.
PairMoments pair_moments(const double* x, const double* y, std::int64_t length);

}  // namespace mpiactor::vcc

#endif  // MPIACTOR_APPS_VCC_MOMENTS_H_
