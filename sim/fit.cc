#include "sim/fit.h"

namespace mpiactor::sim {

std::optional<Fit> fit_throughput(std::span<const TimedSize> points, double work) {
  // Normal equations of sum((t0 * a + s * b - 1)^2), a = 1 / time, b = bytes / time, s = 1 / B.
  double aa = 0;
  double ab = 0;
  double bb = 0;
  double a1 = 0;
  double b1 = 0;
  for (const TimedSize& point : points) {
    const double a = 1 / point.time_us;
    const double b = static_cast<double>(point.bytes) / point.time_us;
    aa += a * a;
    ab += a * b;
    bb += b * b;
    a1 += a;
    b1 += b;
  }
  // Zero up to rounding where all sizes are equal.
  const double determinant = aa * bb - ab * ab;
  if (points.size() < 2 || determinant <= 1e-12 * aa * bb) return std::nullopt;
  Fit fit;
  fit.t0_us = (a1 * bb - b1 * ab) / determinant;
  const double us_per_byte = (b1 * aa - a1 * ab) / determinant;
  fit.b_mbps = work / us_per_byte;
  fit.m_half_bytes = fit.t0_us / us_per_byte;
  return fit;
}

}  // namespace mpiactor::sim
