// The random data: the same everywhere, correlated, with gaps where they are asked for.
#include "apps/vcc/random_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "apps/vcc/verify.h"

namespace mpiactor::vcc {
namespace {

// FNV-1a over all values.
std::uint64_t fingerprint(const DataTable& table) {
  std::uint64_t hash = 14695981039346656037u;
  for (const double value : table.values) {
    hash = (hash ^ (std::isnan(value) ? 1 : std::bit_cast<std::uint64_t>(value))) * 1099511628211u;
  }
  return hash;
}

std::int64_t missing_in(const DataTable& table, std::int32_t variable) {
  std::int64_t missing = 0;
  for (std::int64_t t = 0; t < table.observations; ++t) {
    missing += std::isnan(table.column(variable)[t]) ? 1 : 0;
  }
  return missing;
}

TEST(RandomData, SameArgumentsGiveTheSameDataOnEveryMachine) {
  EXPECT_EQ(fingerprint(random_table({40, 100, 0.2, 1})), 4567159387315864097u);
  EXPECT_NE(fingerprint(random_table({40, 100, 0.2, 2})),
            fingerprint(random_table({40, 100, 0.2, 1})));
}

TEST(RandomData, AVariableDependsOnItsNumberAlone) {
  const RandomData data{40, 100, 0.3, 5};
  const DataTable table = random_table(data);
  std::vector<double> column(100);
  random_column(data, 17, column.data());
  for (std::size_t t = 0; t < column.size(); ++t) {
    const double want = table.column(17)[t];
    EXPECT_TRUE(column[t] == want || (std::isnan(column[t]) && std::isnan(want))) << t;
  }
}

TEST(RandomData, NothingIsMissingUnlessAsked) {
  const DataTable table = random_table({50, 200, 0.0, 9});
  for (std::int32_t v = 0; v < 50; ++v) EXPECT_EQ(missing_in(table, v), 0);
}

TEST(RandomData, StationsAreCompleteOrHaveGaps) {
  const std::int32_t variables = 2048;  // 64 stations
  const DataTable table = random_table({variables, 500, 0.25, 3});
  std::int64_t missing = 0;
  int with_gaps = 0;
  for (std::int32_t v = 0; v < variables; ++v) {
    const std::int64_t here = missing_in(table, v);
    missing += here;
    with_gaps += here > 0 ? 1 : 0;
    // All variables of a station alike; 0.4 of the values missing where any are.
    EXPECT_EQ(here > 0, missing_in(table, v / 32 * 32) > 0);
    if (here > 0) {
      EXPECT_NEAR(static_cast<double>(here) / 500.0, 0.4, 0.12);
    }
  }
  EXPECT_EQ(with_gaps % 32, 0);
  EXPECT_NEAR(static_cast<double>(with_gaps) / variables, 0.625, 0.2);
  EXPECT_NEAR(static_cast<double>(missing) / (variables * 500.0), 0.25, 0.08);
}

TEST(RandomData, VariablesOfOneSeriesAreCorrelatedAndOthersAreNot) {
  const DataTable table = random_table({40, 4000, 0.0, 2});
  double strongest = 0.0;
  for (std::int32_t i = 0; i < 40; ++i) {
    EXPECT_GT(reference_pair(table.column(i), table.column(i), 4000).covariance, 0.0);
    for (std::int32_t j = 0; j < i; ++j) {
      const double value =
          std::abs(reference_pair(table.column(i), table.column(j), 4000).correlation);
      if (i % 4 == j % 4) {
        strongest = std::max(strongest, value);
      } else {
        EXPECT_LT(value, 0.08);
      }
    }
  }
  EXPECT_GT(strongest, 0.6);
}

}  // namespace
}  // namespace mpiactor::vcc
