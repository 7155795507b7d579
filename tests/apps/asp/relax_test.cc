// The relaxation kernel against the textbook's three loops, and the division of rows.
#include "apps/asp/relax.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "apps/common/block_ranges.h"

namespace mpiactor::asp {
namespace {

// A random matrix of arc lengths, about `filled` of it finite, lengths up to the most that
// `vertices` arcs may have.
Graph dense_graph(std::int32_t vertices, double filled, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::bernoulli_distribution has_arc(filled);
  std::uniform_int_distribution<Distance> length(0, (kUnreachable - 1) / vertices);
  Graph graph{vertices, {}};
  for (std::int32_t u = 0; u < vertices; ++u) {
    for (std::int32_t v = 0; v < vertices; ++v) {
      if (has_arc(random)) graph.arcs.push_back({u, v, length(random)});
    }
  }
  return graph;
}

using Matrix = std::vector<std::vector<std::int64_t>>;

// Entries as 64-bit numbers; -1 for kUnreachable.
Matrix matrix_of(const DistanceRows& rows) {
  Matrix matrix;
  for (std::int32_t u = rows.begin(); u < rows.end(); ++u) {
    auto& row = matrix.emplace_back();
    for (std::int32_t v = 0; v < rows.columns(); ++v) {
      row.push_back(rows.row(u)[v] == kUnreachable ? -1 : rows.row(u)[v]);
    }
  }
  return matrix;
}

void relax_naively(Matrix& d, std::size_t k) {
  for (std::size_t i = 0; i < d.size(); ++i) {
    for (std::size_t j = 0; j < d.size(); ++j) {
      if (d[i][k] < 0 || d[k][j] < 0) continue;
      const std::int64_t through = d[i][k] + d[k][j];
      if (d[i][j] < 0 || through < d[i][j]) d[i][j] = through;
    }
  }
}

// Copies of rows first .. first + count - 1, each with the earlier ones of them applied.
DistanceRows pivot_copies(DistanceRows matrix, std::int32_t first, std::int32_t count) {
  DistanceRows copies(0, count, matrix.columns());
  for (std::int32_t k = 0; k < count; ++k) {
    std::copy_n(matrix.row(first + k), matrix.columns(), copies.row(k));
    const Pivots one{copies.row(k), copies.stride(), first + k, 1};
    relax_rows(matrix, first, first + count, one);
  }
  return copies;
}

struct Case {
  std::int32_t vertices;
  double filled;
  std::int32_t batch;
  int threads;
};

class Relax : public ::testing::TestWithParam<Case> {};

TEST_P(Relax, EachBatchEqualsTheThreeLoops) {
  const auto [vertices, filled, batch, threads] = GetParam();
  DistanceRows rows = DistanceRows::from_graph(dense_graph(vertices, filled, 11), 0, vertices);
  Matrix expected = matrix_of(rows);
  Relaxer relaxer(threads);
  for (std::int32_t first = 0; first < vertices; first += batch) {
    const std::int32_t count = std::min(batch, vertices - first);
    const DistanceRows copies = pivot_copies(rows, first, count);
    relaxer.relax(rows, {copies.row(0), copies.stride(), first, count});
    for (std::int32_t k = first; k < first + count; ++k) {
      relax_naively(expected, static_cast<std::size_t>(k));
    }
    // Within a batch of several, rows of the batch may already be shorter than after the loops;
    // one by one they are equal at every step.
    if (batch == 1) {
      ASSERT_EQ(matrix_of(rows), expected) << "after pivot " << first;
    }
  }
  EXPECT_EQ(matrix_of(rows), expected);
}

INSTANTIATE_TEST_SUITE_P(Cases, Relax,
                         ::testing::Values(Case{1, 1.0, 1, 1}, Case{2, 0.5, 1, 1},
                                           Case{17, 0.2, 1, 1}, Case{65, 0.05, 1, 1},
                                           Case{65, 0.05, 4, 1}, Case{65, 0.05, 7, 1},
                                           Case{100, 0.02, 64, 1}, Case{100, 0.03, 16, 3},
                                           Case{100, 0.9, 1, 2}));

TEST(RelaxWide, TilesOfWideRowsMeetWithoutGap) {
  // Wider than any tile. Vertex 0 has arcs of length 1 and 2 to the pivots 1 and 2; pivot 1 has
  // arcs of length v to all even vertices v, pivot 2 to all odd ones.
  constexpr std::int32_t kColumns = 9001;
  for (const std::int32_t batch : {1, 2}) {
    DistanceRows rows(0, 1, kColumns);
    rows.row(0)[1] = 1;
    rows.row(0)[2] = 2;
    DistanceRows pivots(1, 3, kColumns);
    for (std::int32_t v = 3; v < kColumns; ++v) pivots.row(v % 2 == 0 ? 1 : 2)[v] = v;
    pivots.row(1)[1] = 0;
    pivots.row(2)[2] = 0;
    for (std::int32_t k = 1; k <= 2; k += batch) {
      relax_rows(rows, 0, 1, {pivots.row(k), pivots.stride(), k, batch});
    }
    EXPECT_EQ(rows.row(0)[0], kUnreachable);
    for (std::int32_t v = 3; v < kColumns; ++v) {
      ASSERT_EQ(rows.row(0)[v], v % 2 == 0 ? v + 1 : v + 2) << "column " << v;
    }
  }
}

TEST(DistanceRows, ShortestParallelArcCountsAndLoopsDoNot) {
  const Graph graph{3, {{0, 1, 9}, {0, 1, 4}, {0, 1, 6}, {1, 1, 5}, {2, 0, 0}}};
  const DistanceRows rows = DistanceRows::from_graph(graph, 0, 3);
  EXPECT_EQ(matrix_of(rows), (Matrix{{0, 4, -1}, {-1, 0, -1}, {0, -1, 0}}));
}

TEST(DistanceRows, SummaryCountsFinitePairsOnly) {
  const Graph graph{3, {{0, 1, 4}, {2, 0, 1'000'000'000}}};
  const DistanceSummary summary = summarize(DistanceRows::from_graph(graph, 0, 3));
  EXPECT_EQ(summary.reachable, 5u);
  EXPECT_EQ(summary.sum, 1'000'000'004u);
  EXPECT_EQ(summary.max, 1'000'000'000);
}

TEST(BlockRanges, CoverAllRowsOnceInOrder) {
  for (const std::int32_t rows : {1, 2, 3, 7, 64, 3353}) {
    for (const int ranks : {1, 2, 3, 5, 8, 100}) {
      const apps::BlockRanges blocks(rows, ranks);
      EXPECT_EQ(blocks.begin(0), 0);
      EXPECT_EQ(blocks.end(ranks - 1), rows);
      for (int rank = 0; rank < ranks; ++rank) {
        EXPECT_GE(blocks.count(rank), rows / ranks);
        EXPECT_LE(blocks.count(rank), rows / ranks + 1);
        for (std::int32_t row = blocks.begin(rank); row < blocks.end(rank); ++row) {
          ASSERT_EQ(blocks.owner(row), rank) << rows << " rows, " << ranks << " ranks";
        }
      }
    }
  }
}

TEST(BlockRanges, LargestSizesDoNotOverflow) {
  const apps::BlockRanges blocks(2147483647, 1'000'000);
  EXPECT_EQ(blocks.end(999'999), 2147483647);
  EXPECT_EQ(blocks.owner(2147483646), 999'999);
}

}  // namespace
}  // namespace mpiactor::asp
