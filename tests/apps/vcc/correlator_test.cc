// Covariances and correlations against values known exactly, to 1e-12.
#include "apps/vcc/correlator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "apps/vcc/random_data.h"
#include "tests/apps/vcc/exact.h"

namespace mpiactor::vcc {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr double kAccuracy = 1e-12;

using Data = std::vector<std::vector<double>>;  // variable by variable

// What one rank of `ranks` computes of all pieces.
ResultRows rows_of_rank(const Data& data, const Layout& layout, int rank) {
  const auto observations = static_cast<std::int64_t>(data[0].size());
  const auto columns = [&](std::int32_t begin, std::int32_t end) {
    Columns result(begin, end - begin, observations);
    for (std::int32_t v = begin; v < end; ++v) {
      std::copy(data[static_cast<std::size_t>(v)].begin(), data[static_cast<std::size_t>(v)].end(),
                result.column(v));
    }
    return result;
  };
  const Columns all = columns(0, layout.variables());
  const Columns own = columns(layout.ranges().begin(rank), layout.ranges().end(rank));
  std::vector<std::int64_t> present;
  for (std::int32_t v = 0; v < layout.variables(); ++v) present.push_back(all.present(v));
  ResultRows results(own.first(), own.end(), layout.variables());
  Correlator correlator(layout, own, present);
  for (const Piece& piece : broadcast_order(layout)) {
    correlator.correlate(piece, all.column(piece.first), results);
  }
  return results;
}

struct Matrices {
  std::vector<std::vector<double>> covariance;
  std::vector<std::vector<double>> correlation;
};

// All pairs, each from the rank that has to compute it.
Matrices all_pairs(const Data& data, int ranks, std::int32_t tile_width) {
  const auto variables = static_cast<std::int32_t>(data.size());
  const Layout layout(variables, ranks, tile_width);
  Matrices matrices{Data(data.size(), std::vector<double>(data.size(), -1e300)),
                    Data(data.size(), std::vector<double>(data.size(), -1e300))};
  for (int rank = 0; rank < ranks; ++rank) {
    const ResultRows rows = rows_of_rank(data, layout, rank);
    for (std::int32_t i = rows.begin(); i < rows.end(); ++i) {
      for (std::int32_t j = 0; j < variables; ++j) {
        if (!layout.computed_by_holder(i, j)) continue;
        const auto a = static_cast<std::size_t>(i);
        const auto b = static_cast<std::size_t>(j);
        matrices.covariance[a][b] = matrices.covariance[b][a] = rows.covariance(i)[j];
        matrices.correlation[a][b] = matrices.correlation[b][a] = rows.correlation(i)[j];
      }
    }
  }
  return matrices;
}

void expect_near(double have, double want, double allowed) {
  if (std::isnan(want)) {
    EXPECT_TRUE(std::isnan(have)) << have;
  } else {
    EXPECT_LE(std::abs(have - want), allowed) << "have " << have << ", want " << want;
  }
}

void expect_exact(const Data& data) {
  const Matrices have = all_pairs(data, 1, 4);
  for (std::size_t i = 0; i < data.size(); ++i) {
    for (std::size_t j = 0; j < data.size(); ++j) {
      SCOPED_TRACE(::testing::Message() << "variables " << i << " and " << j);
      const ExactPair want = exact_pair(data[i], data[j]);
      expect_near(have.covariance[i][j], want.covariance, kAccuracy * want.scale);
      expect_near(have.correlation[i][j], want.correlation, kAccuracy);
    }
  }
}

Data with_gaps(Data data, double share, unsigned seed) {
  std::mt19937 random(seed);
  for (auto& column : data) {
    for (double& value : column) {
      if (static_cast<double>(random()) < share * 4294967296.0) value = kMissing;
    }
  }
  return data;
}

// Deviations of about 1 in steps of 1/64, at this offset: exact up to 2^46.
Data at_offset(double offset, std::size_t variables, std::size_t observations) {
  std::mt19937 random(7);
  Data data(variables, std::vector<double>(observations));
  for (std::size_t t = 0; t < observations; ++t) {
    const double common = static_cast<double>(random() % 128) / 64.0;
    for (auto& column : data) {
      column[t] = offset + common + static_cast<double>(random() % 128) / 64.0;
    }
  }
  return data;
}

TEST(Correlator, SmallCaseByHand) {
  // x: mean 2, deviations -1 0 1; y: mean 4, deviations -2 -1 3; z = -x.
  const Matrices have = all_pairs({{1, 2, 3}, {2, 3, 7}, {-1, -2, -3}}, 1, 32);
  EXPECT_EQ(have.covariance, (Data{{1.0, 2.5, -1.0}, {2.5, 7.0, -2.5}, {-1.0, -2.5, 1.0}}));
  EXPECT_EQ(have.correlation[0][0], 1.0);
  EXPECT_EQ(have.correlation[0][2], -1.0);
  EXPECT_DOUBLE_EQ(have.correlation[0][1], 2.5 / std::sqrt(7.0));
}

TEST(Correlator, SmallCaseWithGapsByHand) {
  // Common to both: (1, 4), (2, 2), (6, 3): means 3 and 3, xx 14, yy 2, xy -2 + 1 + 0 = -1.
  const Matrices have = all_pairs({{1, 9, 2, 6, kMissing}, {4, kMissing, 2, 3, 5}}, 1, 32);
  EXPECT_DOUBLE_EQ(have.covariance[0][1], -0.5);
  EXPECT_DOUBLE_EQ(have.correlation[0][1], -1.0 / std::sqrt(28.0));
  // By itself each has its own observations: 1 9 2 6, mean 4.5, squares 41.
  EXPECT_DOUBLE_EQ(have.covariance[0][0], 41.0 / 3.0);
  EXPECT_EQ(have.correlation[0][0], 1.0);
  EXPECT_EQ(have.correlation[1][1], 1.0);
}

// NIST's statistical reference data sets for univariate summaries: numbers that differ in their
// last digits only. Beside each its certified standard deviation, which holds for the decimal
// numbers; as stored they are off by what a 64-bit number cannot hold.
TEST(Correlator, NistNumericalAccuracy) {
  const auto alternating = [](double first, double low, double high) {
    std::vector<double> values{first};
    for (int i = 0; i < 500; ++i) values.insert(values.end(), {low, high});
    return values;
  };
  const Data data = {alternating(1.2, 1.1, 1.3), alternating(1000000.2, 1000000.1, 1000000.3),
                     alternating(10000000.2, 10000000.1, 10000000.3)};
  const Matrices have = all_pairs(data, 1, 32);
  EXPECT_NEAR(std::sqrt(have.covariance[0][0]), 0.1, 1e-14);
  EXPECT_NEAR(std::sqrt(have.covariance[1][1]), 0.1, 1e-10);
  EXPECT_NEAR(std::sqrt(have.covariance[2][2]), 0.1, 1e-9);
  expect_exact(data);
  EXPECT_EQ(all_pairs({{10000001, 10000003, 10000002}}, 1, 32).covariance[0][0], 1.0);
}

// Longley's ill-conditioned economic data, as in NIST's reference data sets.
TEST(Correlator, Longley) {
  Data data = {{60323, 61122, 60171, 61187, 63221, 63639, 64989, 63761, 66019, 67857, 68169, 66513,
                68655, 69564, 69331, 70551},
               {83.0, 88.5, 88.2, 89.5, 96.2, 98.1, 99.0, 100.0, 101.2, 104.6, 108.4, 110.8, 112.6,
                114.2, 115.7, 116.9},
               {234289, 259426, 258054, 284599, 328975, 346999, 365385, 363112, 397469, 419180,
                442769, 444546, 482704, 502601, 518173, 554894},
               std::vector<double>(16)};
  std::iota(data[3].begin(), data[3].end(), 1947.0);
  // To the digits that statistics packages print.
  const Matrices have = all_pairs(data, 1, 32);
  EXPECT_NEAR(have.correlation[1][2], 0.9915892, 5e-8);
  EXPECT_NEAR(have.correlation[2][3], 0.9952735, 5e-8);
  expect_exact(data);
  expect_exact(with_gaps(data, 0.2, 3));
}

class Offsets : public ::testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Powers, Offsets,
                         ::testing::Values(0.0, 0x1p10, -0x1p20, 0x1p30, 0x1p40, -0x1p46));

TEST_P(Offsets, DoNotCostAccuracy) {
  for (const std::size_t observations : {2u, 7u, 8u, 9u, 333u}) {
    SCOPED_TRACE(observations);
    const Data data = at_offset(GetParam(), 6, observations);
    expect_exact(data);
    expect_exact(with_gaps(data, 0.3, 5));
    // Complete and incomplete variables in one tile.
    Data mixed = with_gaps(data, 0.3, 6);
    mixed[1] = data[1];
    mixed[5] = data[5];
    expect_exact(mixed);
  }
}

TEST(Correlator, MeansAreThoseOfThePair) {
  // Where y is there, x is close to 1e9; elsewhere near 0: the mean of x says nothing about them.
  Data data(2, std::vector<double>(200, kMissing));
  for (std::size_t t = 0; t < 200; ++t) {
    data[0][t] = t < 100 ? static_cast<double>(t % 7) : 1e9 + static_cast<double>(t % 5) / 8.0;
    if (t >= 100) data[1][t] = static_cast<double>(t % 3) - 1e9;
  }
  expect_exact(data);
}

TEST(Correlator, WithoutVariationOrCommonObservationsIsUndefined) {
  const Matrices have = all_pairs({{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1},
                                   {1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
                                   {1, 2, kMissing, 4, 5, 6, 7, 8, 9, 10},
                                   {kMissing, kMissing, 3, kMissing, kMissing, kMissing, kMissing,
                                    kMissing, kMissing, kMissing},
                                   std::vector<double>(10, kMissing),
                                   {3.3, 3.3, 9.1, 3.3, 3.3, 3.3, 3.3, 3.3, 3.3, 3.3}},
                                  1, 4);
  EXPECT_EQ(have.covariance[0][0], 0.0);
  EXPECT_EQ(have.covariance[0][1], 0.0);
  EXPECT_EQ(have.covariance[0][2], 0.0);
  EXPECT_TRUE(std::isnan(have.correlation[0][0]));
  EXPECT_TRUE(std::isnan(have.correlation[0][1]));
  EXPECT_TRUE(std::isnan(have.correlation[0][2]));
  // One common observation, and none.
  for (std::size_t other : {0u, 1u, 2u, 3u, 5u}) {
    EXPECT_TRUE(std::isnan(have.covariance[3][other])) << other;
    EXPECT_TRUE(std::isnan(have.covariance[4][other])) << other;
    EXPECT_TRUE(std::isnan(have.correlation[4][other])) << other;
  }
  // Varies, but not over the common observations.
  EXPECT_EQ(have.covariance[2][5], 0.0);
  EXPECT_TRUE(std::isnan(have.correlation[2][5]));
  EXPECT_FALSE(std::isnan(have.correlation[1][5]));
}

TEST(Correlator, ConstantsDoNotVaryHoweverManyThereAre) {
  for (const double constant : {0.1, -1.0 / 3.0, 1e9 + 0.1, 7e-5}) {
    for (const std::size_t observations : {100u, 1001u, 4099u}) {
      SCOPED_TRACE(::testing::Message() << constant << " x " << observations);
      Data data(3, std::vector<double>(observations, constant));
      data[1][17] = kMissing;
      std::iota(data[2].begin(), data[2].end(), 0.5);
      const Matrices have = all_pairs(data, 1, 32);
      for (std::size_t row : {0u, 1u}) {
        for (std::size_t other : {0u, 1u, 2u}) {
          EXPECT_EQ(have.covariance[row][other], 0.0);
          EXPECT_TRUE(std::isnan(have.correlation[row][other]));
        }
      }
    }
  }
}

TEST(Correlator, LargestValuesStayFinite) {
  const double most = kLargestValue;
  const Matrices have =
      all_pairs({{-most, most, most}, {most, -most, -most}, {most, kMissing, -most}}, 1, 32);
  EXPECT_EQ(have.correlation[0][1], -1.0);
  EXPECT_EQ(have.correlation[0][2], -1.0);
  EXPECT_DOUBLE_EQ(have.covariance[0][0] / most / most, 4.0 / 3.0);
}

bool same_bits(const Data& a, const Data& b) {
  return std::equal(a.begin(), a.end(), b.begin(), [](const auto& x, const auto& y) {
    return std::equal(x.begin(), x.end(), y.begin(), [](double p, double q) {
      return p == q || (std::isnan(p) && std::isnan(q));
    });
  });
}

TEST(Correlator, ResultsHaveTheSameBitsForAllRankCounts) {
  const DataTable table = random_table({45, 301, 0.1, 3});
  Data data;
  for (std::int32_t v = 0; v < table.variables; ++v) {
    data.emplace_back(table.column(v), table.column(v) + table.observations);
  }
  for (const std::int32_t tile_width : {1, 8, 32, 64}) {
    const Matrices one = all_pairs(data, 1, tile_width);
    for (const int ranks : {2, 3, 4, 8, 45}) {
      SCOPED_TRACE(::testing::Message() << ranks << " ranks, tiles of " << tile_width);
      const Matrices several = all_pairs(data, ranks, tile_width);
      EXPECT_TRUE(same_bits(one.covariance, several.covariance));
      EXPECT_TRUE(same_bits(one.correlation, several.correlation));
    }
  }
}

}  // namespace
}  // namespace mpiactor::vcc
