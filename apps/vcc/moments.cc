#include "apps/vcc/moments.h"

#include <algorithm>
#include <cmath>

#include "apps/vcc/columns.h"

// One build serves every x86-64 processor: the loader picks the widest vectors. Sanitizers do not
// survive the loader's early call of the chooser.
#if defined(__x86_64__) && defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define MPIACTOR_VCC_WIDEST_VECTORS \
  __attribute__((target_clones("avx512f", "avx2", "sse4.1", "default")))
#else
#define MPIACTOR_VCC_WIDEST_VECTORS
#endif

namespace mpiactor::vcc {
namespace {

// As many numbers side by side; the compiler makes of them what vectors the processor has.
using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));
constexpr Lanes kZero = {};
constexpr Lanes kOne = kZero + 1.0;

// The numbers from `first` on, which lies on a multiple of their size. The compiler lets vectors
// alias their elements.
inline const Lanes& lanes_at(const double* first) { return *reinterpret_cast<const Lanes*>(first); }
inline Lanes& lanes_at(double* first) { return *reinterpret_cast<Lanes*>(first); }

double sum_of(const Lanes& part) {
  return ((part[0] + part[4]) + (part[2] + part[6])) + ((part[1] + part[5]) + (part[3] + part[7]));
}

// Sum of value - shift.
MPIACTOR_VCC_WIDEST_VECTORS
double sum_less(const double* values, std::int64_t count, double shift) {
  Lanes sum = kZero;
  std::int64_t t = 0;
  for (; t + kLanes <= count; t += kLanes) sum += lanes_at(values + t) - shift;
  for (std::int64_t l = 0; t + l < count; ++l) sum[l] += values[t + l] - shift;
  return sum_of(sum);
}

// Writes value - shift; returns the sum of their squares.
MPIACTOR_VCC_WIDEST_VECTORS
double write_less(const double* values, std::int64_t count, double shift, double* out) {
  Lanes squares = kZero;
  std::int64_t t = 0;
  for (; t + kLanes <= count; t += kLanes) {
    const Lanes deviation = lanes_at(values + t) - shift;
    lanes_at(out + t) = deviation;
    squares += deviation * deviation;
  }
  for (std::int64_t l = 0; t + l < count; ++l) {
    const double deviation = values[t + l] - shift;
    out[t + l] = deviation;
    squares[l] += deviation * deviation;
  }
  return sum_of(squares);
}

struct CommonSums {
  double count;
  double x;
  double y;
};

// Sums of x - x_shift and y - y_shift over the common observations.
MPIACTOR_VCC_WIDEST_VECTORS
CommonSums common_sums(const double* x, const double* y, std::int64_t length, double x_shift,
                       double y_shift) {
  Lanes count = kZero;
  Lanes sum_x = kZero;
  Lanes sum_y = kZero;
  for (std::int64_t t = 0; t < length; t += kLanes) {
    const Lanes dx = lanes_at(x + t) - x_shift;
    const Lanes dy = lanes_at(y + t) - y_shift;
    // Missing in either makes the sum NaN, which alone differs from itself.
    const Lanes either = dx + dy;
    const auto both = either == either;  // NOLINT(misc-redundant-expression)
    count += both ? kOne : kZero;
    sum_x += both ? dx : kZero;
    sum_y += both ? dy : kZero;
  }
  return {sum_of(count), sum_of(sum_x), sum_of(sum_y)};
}

struct CommonProducts {
  double x;
  double y;
  double xx;
  double yy;
  double xy;
};

MPIACTOR_VCC_WIDEST_VECTORS
CommonProducts common_products(const double* x, const double* y, std::int64_t length, double x_mean,
                               double y_mean) {
  Lanes sum_x = kZero;
  Lanes sum_y = kZero;
  Lanes sum_xx = kZero;
  Lanes sum_yy = kZero;
  Lanes sum_xy = kZero;
  for (std::int64_t t = 0; t < length; t += kLanes) {
    const Lanes raw_x = lanes_at(x + t) - x_mean;
    const Lanes raw_y = lanes_at(y + t) - y_mean;
    const Lanes either = raw_x + raw_y;
    const auto both = either == either;  // NOLINT(misc-redundant-expression)
    const Lanes dx = both ? raw_x : kZero;
    const Lanes dy = both ? raw_y : kZero;
    sum_x += dx;
    sum_y += dy;
    sum_xx += dx * dx;
    sum_yy += dy * dy;
    sum_xy += dx * dy;
  }
  return {sum_of(sum_x), sum_of(sum_y), sum_of(sum_xx), sum_of(sum_yy), sum_of(sum_xy)};
}

}  // namespace

double centre(const double* values, std::int64_t observations, double* centred) {
  const auto count = static_cast<double>(observations);
  // Differences from the first value: exact where values are close together, zero for a constant.
  const double first = values[0];
  const double mean = first + sum_less(values, observations, first) / count;
  write_less(values, observations, mean, centred);
  const double rest = sum_less(centred, observations, 0.0) / count;
  const double squares = write_less(centred, observations, rest, centred);
  std::fill(centred + observations, centred + padded(observations), 0.0);
  return squares;
}

PairMoments pair_moments(const double* x, const double* y, std::int64_t length) {
  PairMoments result;
  std::int64_t start = 0;
  while (start < length && (std::isnan(x[start]) || std::isnan(y[start]))) ++start;
  if (start == length) return result;

  const CommonSums sums = common_sums(x, y, length, x[start], y[start]);
  const double x_mean = x[start] + sums.x / sums.count;
  const double y_mean = y[start] + sums.y / sums.count;
  const CommonProducts products = common_products(x, y, length, x_mean, y_mean);
  result.common = static_cast<std::int64_t>(sums.count);
  result.xx = std::max(products.xx - products.x * products.x / sums.count, 0.0);
  result.yy = std::max(products.yy - products.y * products.y / sums.count, 0.0);
  result.xy = products.xy - products.x * products.y / sums.count;
  return result;
}

}  // namespace mpiactor::vcc
