// What slept steps are drawn from, against steps that are taken.
#include "apps/asp/row_costs.h"

#include <gtest/gtest.h>

#include <numeric>

#include "apps/asp/random_graph.h"

namespace mpiactor::asp {
namespace {

// Takes all steps of one rank on `rows`, the whole matrix; calls `before` with each one's number.
template <typename Before>
void take_steps(DistanceRows& rows, Relaxer& relaxer, Before&& before) {
  DistanceRows copy(0, 1, rows.columns());
  for (std::int32_t k = 0; k < rows.columns(); ++k) {
    before(k);
    std::copy_n(rows.row(k), rows.columns(), copy.row(0));
    relaxer.relax(rows, {copy.row(0), copy.stride(), k, 1});
  }
}

TEST(ReachingRows, AreThoseThatStepsRelax) {
  Graph graph = random_road_graph(130, 3);
  graph.arcs.resize(graph.arcs.size() * 2 / 3);  // so that some never get there
  const int ranks = 3;
  const apps::BlockRanges blocks(graph.vertices, ranks);
  const auto found = count_reaching_rows(graph, blocks, ranks);
  ASSERT_EQ(found.size(), 3u * 130u);

  DistanceRows rows = DistanceRows::from_graph(graph, 0, graph.vertices);
  Relaxer relaxer(1);
  std::int64_t all = 0;
  take_steps(rows, relaxer, [&](std::int32_t k) {
    for (int rank = 0; rank < ranks; ++rank) {
      int expected = 0;
      for (std::int32_t i = blocks.begin(rank); i < blocks.end(rank); ++i) {
        if (rows.row(i)[k] != kUnreachable) ++expected;
      }
      EXPECT_EQ(found[static_cast<std::size_t>(rank * 130 + k)], expected) << rank << " " << k;
      all += expected;
    }
  });
  EXPECT_GT(all, 1000);
  EXPECT_LT(all, 130 * 130 * 3 / 4);
}

TEST(RowCosts, AddUpToWhatTheStepsTake) {
  const Graph graph = random_road_graph(1200, 5);
  const apps::BlockRanges blocks(graph.vertices, 1);
  DistanceRows rows = DistanceRows::from_graph(graph, 0, graph.vertices);
  Relaxer relaxer(1);
  const std::int64_t begin_ns = apps::thread_cpu_ns();
  take_steps(rows, relaxer, [](std::int32_t) {});
  const auto real_ns = static_cast<double>(apps::thread_cpu_ns() - begin_ns);

  const RowCosts costs = sample_row_costs(rows, relaxer);
  std::mt19937_64 random = apps::step_random(1, 0);
  const std::vector<double> steps_ns =
      draw_steps(costs, count_reaching_rows(graph, blocks, 1), rows.count(), random);
  ASSERT_EQ(steps_ns.size(), 1200u);
  const double drawn_ns = std::accumulate(steps_ns.begin(), steps_ns.end(), 0.0);
  EXPECT_GT(drawn_ns, real_ns / 3);
  EXPECT_LT(drawn_ns, real_ns * 3);
  EXPECT_GT(costs.relaxed.mean_ns(), 3 * costs.skipped.mean_ns());
}

TEST(RowCosts, OfARankWithoutRowsAreNone) {
  DistanceRows rows(4, 4, 10);
  Relaxer relaxer(1);
  const RowCosts costs = sample_row_costs(rows, relaxer);
  std::mt19937_64 random = apps::step_random(1, 0);
  EXPECT_EQ(draw_steps(costs, {0, 0}, 0, random), (std::vector<double>{0.0, 0.0}));
}

TEST(RowCosts, OfAGraphWithFewVerticesThanSamples) {
  DistanceRows rows(0, 2, 2);
  Relaxer relaxer(1);
  EXPECT_GT(sample_row_costs(rows, relaxer).relaxed.mean_ns(), 0.0);
}

}  // namespace
}  // namespace mpiactor::asp
