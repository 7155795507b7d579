#include "apps/vcc/verify.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

namespace mpiactor::vcc {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

// Infinite where just one of them is undefined.
double difference(double have, double want, double scale) {
  if (std::isnan(have) || std::isnan(want)) {
    return std::isnan(have) && std::isnan(want) ? 0.0 : std::numeric_limits<double>::infinity();
  }
  if (have == want) return 0.0;
  return std::abs(have - want) / scale;
}

long double mean(const std::vector<long double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0L) /
         static_cast<long double>(values.size());
}

}  // namespace

ReferencePair reference_pair(const double* x, const double* y, std::int64_t observations) {
  std::vector<long double> xs;
  std::vector<long double> ys;
  // Less the first common values, so that equal values stay equal to their mean.
  for (std::int64_t t = 0; t < observations; ++t) {
    if (std::isnan(x[t]) || std::isnan(y[t])) continue;
    xs.push_back(x[t]);
    ys.push_back(y[t]);
  }
  if (xs.size() < 2) return {kUndefined, kUndefined, 0.0};
  for (auto* values : {&xs, &ys}) {
    const long double first = values->front();
    for (long double& value : *values) value -= first;
    const long double centre = mean(*values);
    for (long double& value : *values) value -= centre;
  }
  const auto sum_of_products = [](const auto& a, const auto& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0L);
  };
  const long double xx = sum_of_products(xs, xs);
  const long double yy = sum_of_products(ys, ys);
  const long double xy = sum_of_products(xs, ys);
  const auto freedom = static_cast<long double>(xs.size() - 1);
  ReferencePair result;
  result.covariance = static_cast<double>(xy / freedom);
  result.scale = static_cast<double>(std::sqrt(xx) * std::sqrt(yy) / freedom);
  result.correlation = xx > 0.0L && yy > 0.0L
                           ? static_cast<double>(xy / (std::sqrt(xx) * std::sqrt(yy)))
                           : kUndefined;
  return result;
}

std::vector<std::int32_t> draw_variables(std::int32_t variables, std::int32_t count,
                                         std::uint64_t seed) {
  std::vector<std::int32_t> all(static_cast<std::size_t>(variables));
  std::iota(all.begin(), all.end(), 0);
  std::vector<std::int32_t> drawn;
  std::sample(all.begin(), all.end(), std::back_inserter(drawn), count, std::mt19937_64(seed));
  return drawn;
}

Verifier::Verifier(const DataTable& table, std::vector<std::int32_t> rows)
    : table_(table), rows_(std::move(rows)) {}

void Verifier::check(std::int32_t row, const double* covariance, const double* correlation) {
  if (!std::binary_search(rows_.begin(), rows_.end(), row)) return;
  bool is_right = true;
  for (std::int32_t other = 0; other < table_.variables; ++other) {
    const ReferencePair want =
        reference_pair(table_.column(row), table_.column(other), table_.observations);
    const double difference_here =
        std::max(difference(covariance[other], want.covariance, want.scale),
                 difference(correlation[other], want.correlation, 1.0));
    largest_difference_ = std::max(largest_difference_, difference_here);
    if (difference_here <= kTolerance) continue;
    is_right = false;
    if (!first_.empty()) continue;
    first_ = fmt::format(
        "variables {} and {}: covariance {} and correlation {}, the serial computation says {} and "
        "{}",
        row + 1, other + 1, covariance[other], correlation[other], want.covariance,
        want.correlation);
  }
  if (!is_right) ++mismatches_;
}

}  // namespace mpiactor::vcc
