// Covariance and correlation by rational arithmetic: exact for the numbers as they are stored.
#ifndef MPIACTOR_TESTS_APPS_VCC_EXACT_H_
#define MPIACTOR_TESTS_APPS_VCC_EXACT_H_

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace mpiactor::vcc {

struct ExactPair {
  double covariance = std::numeric_limits<double>::quiet_NaN();
  double correlation = std::numeric_limits<double>::quiet_NaN();
  double scale = 0.0;  // product of the standard deviations
};

// Over the observations that neither column misses (NaN).
inline ExactPair exact_pair(const std::vector<double>& x, const std::vector<double>& y) {
  using Rational = boost::multiprecision::cpp_rational;
  using Real = boost::multiprecision::cpp_bin_float_50;
  Rational sums[5] = {};  // x, y, xx, yy, xy
  int common = 0;
  for (std::size_t t = 0; t < x.size(); ++t) {
    if (std::isnan(x[t]) || std::isnan(y[t])) continue;
    const Rational a(x[t]);
    const Rational b(y[t]);
    ++common;
    sums[0] += a;
    sums[1] += b;
    sums[2] += a * a;
    sums[3] += b * b;
    sums[4] += a * b;
  }
  if (common < 2) return {};
  const Rational xx = sums[2] - sums[0] * sums[0] / common;
  const Rational yy = sums[3] - sums[1] * sums[1] / common;
  const Rational xy = sums[4] - sums[0] * sums[1] / common;
  ExactPair result;
  result.covariance = static_cast<double>(Rational(xy / (common - 1)));
  const Real root = sqrt(Real(xx) * Real(yy));
  result.scale = static_cast<double>(Real(root / (common - 1)));
  if (xx > 0 && yy > 0) result.correlation = static_cast<double>(Real(Real(xy) / root));
  return result;
}

}  // namespace mpiactor::vcc

#endif  // MPIACTOR_TESTS_APPS_VCC_EXACT_H_
