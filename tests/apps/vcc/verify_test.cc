// The check by serial computation, and that it finds what is wrong.
#include "apps/vcc/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "apps/vcc/random_data.h"
#include "tests/apps/vcc/exact.h"

namespace mpiactor::vcc {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

struct Row {
  std::vector<double> covariance;
  std::vector<double> correlation;
};

Row reference_row(const DataTable& table, std::int32_t row) {
  Row result;
  for (std::int32_t other = 0; other < table.variables; ++other) {
    const ReferencePair pair =
        reference_pair(table.column(row), table.column(other), table.observations);
    result.covariance.push_back(pair.covariance);
    result.correlation.push_back(pair.correlation);
  }
  return result;
}

TEST(Reference, EqualsExactArithmetic) {
  const DataTable table = random_table({12, 90, 0.3, 8});
  for (std::int32_t i = 0; i < 12; ++i) {
    for (std::int32_t j = 0; j < 12; ++j) {
      const ReferencePair have = reference_pair(table.column(i), table.column(j), 90);
      const ExactPair want = exact_pair({table.column(i), table.column(i) + 90},
                                        {table.column(j), table.column(j) + 90});
      EXPECT_NEAR(have.covariance, want.covariance, 1e-15 * want.scale);
      EXPECT_NEAR(have.correlation, want.correlation, 1e-15);
      EXPECT_NEAR(have.scale, want.scale, 1e-15 * want.scale);
    }
  }
}

TEST(Reference, IsUndefinedWhereTheResultIs) {
  const double x[] = {0.1, 0.1, 0.1};
  const double y[] = {1, 2, 4};
  const double z[] = {1, kUndefined, kUndefined};
  EXPECT_EQ(reference_pair(x, y, 3).covariance, 0.0);
  EXPECT_TRUE(std::isnan(reference_pair(x, y, 3).correlation));
  EXPECT_TRUE(std::isnan(reference_pair(y, z, 3).covariance));
}

TEST(Verifier, DrawsVariables) {
  EXPECT_THAT(draw_variables(3, 10, 1), ElementsAre(0, 1, 2));
  EXPECT_EQ(draw_variables(1000, 7, 1).size(), 7u);
  EXPECT_EQ(draw_variables(1000, 7, 1), draw_variables(1000, 7, 1));
  EXPECT_NE(draw_variables(1000, 7, 1), draw_variables(1000, 7, 2));
}

TEST(Verifier, AcceptsWhatIsRightAndCountsWhatIsWrong) {
  const DataTable table = random_table({6, 50, 0.0, 4});
  Verifier verifier(table, {0, 2, 3, 5});
  for (std::int32_t row = 0; row < 6; ++row) {
    Row values = reference_row(table, row);
    if (row == 1) values.covariance[0] += 1.0;  // not checked
    if (row == 2) values.correlation[4] += 2e-12;
    if (row == 5) values.covariance[3] *= 1.0 + 1e-9;
    verifier.check(row, values.covariance.data(), values.correlation.data());
  }
  EXPECT_EQ(verifier.rows(), 4);
  EXPECT_EQ(verifier.mismatches(), 2);
  EXPECT_THAT(verifier.first(), HasSubstr("variables 3 and 5: covariance"));
  EXPECT_GT(verifier.largest_difference(), 1e-12);
}

TEST(Verifier, UndefinedInPlaceOfANumberIsWrong) {
  const DataTable table = random_table({2, 50, 0.0, 4});
  Verifier verifier(table, {0, 1});
  Row first = reference_row(table, 0);
  first.correlation[1] = kUndefined;
  verifier.check(0, first.covariance.data(), first.correlation.data());
  EXPECT_EQ(verifier.mismatches(), 1);
  EXPECT_TRUE(std::isinf(verifier.largest_difference()));
}

}  // namespace
}  // namespace mpiactor::vcc
