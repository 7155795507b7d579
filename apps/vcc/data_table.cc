#include "apps/vcc/data_table.h"

#include <fmt/core.h>

#include <limits>

namespace mpiactor::vcc {

void check_shape(const std::string& name, std::int64_t observations, std::int64_t variables) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (observations < 2 || observations > kMost) {
    throw DataError(fmt::format("{}: number of observations {} is out of range: 2 .. {}", name,
                                observations, kMost));
  }
  if (variables < 1 || variables > kMost) {
    throw DataError(
        fmt::format("{}: number of variables {} is out of range: 1 .. {}", name, variables, kMost));
  }
}

}  // namespace mpiactor::vcc
