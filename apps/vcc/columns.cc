#include "apps/vcc/columns.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mpiactor::vcc {

Columns::Columns(std::int32_t first, std::int32_t count, std::int64_t observations)
    : first_(first),
      count_(count),
      observations_(observations),
      stride_(padded(observations)),
      values_(static_cast<std::size_t>(count * stride_), std::numeric_limits<double>::quiet_NaN()) {
}

std::int64_t Columns::present(std::int32_t variable) const {
  const double* values = column(variable);
  return std::count_if(values, values + observations_,
                       [](double value) { return !std::isnan(value); });
}

}  // namespace mpiactor::vcc
