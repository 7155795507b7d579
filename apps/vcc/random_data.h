// A random data set with correlated variables and gaps.
#ifndef MPIACTOR_APPS_VCC_RANDOM_DATA_H_
#define MPIACTOR_APPS_VCC_RANDOM_DATA_H_

#include <cstdint>

#include "apps/vcc/data_table.h"

namespace mpiactor::vcc {

inline constexpr std::int32_t kMostRandomVariables = 1'000'000;
inline constexpr double kMostMissing = 0.9;

struct RandomData {
  std::int32_t variables = 0;     // 1 .. kMostRandomVariables
  std::int64_t observations = 0;  // at least 2
  double missing = 0.0;           // expected share of missing values, 0 .. kMostMissing
  std::uint64_t seed = 1;
};

// Writes the observations of one variable. A variable is a multiple of one of four common series
// plus noise of its own, at an offset of up to 1,000 and a scale of 0.01 to 100. Consecutive
// variables share a station (32 variables, or an eighth of all where that is less). A station is
// either without gaps or, with probability (1 + missing) / 2, one whose values are each missing
// with probability 2 missing / (1 + missing). A variable depends on the arguments alone, so that
// every rank makes its own, and is the same on every machine.
void random_column(const RandomData& data, std::int32_t variable, double* values);

// All variables.
DataTable random_table(const RandomData& data);

}  // namespace mpiactor::vcc

#endif  // MPIACTOR_APPS_VCC_RANDOM_DATA_H_
