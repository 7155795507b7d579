// What slept steps are drawn from, against pieces that are computed.
#include "apps/vcc/piece_costs.h"

#include <gtest/gtest.h>

#include "apps/vcc/random_data.h"

namespace mpiactor::vcc {
namespace {

constexpr RandomData kData{.variables = 200, .observations = 500, .missing = 0.2, .seed = 3};

struct Part {
  Layout layout{kData.variables, 2, 32};
  std::vector<Piece> order = broadcast_order(layout);
  Columns all{0, kData.variables, kData.observations};
  Columns own{0, layout.ranges().count(0), kData.observations};
  std::vector<std::int64_t> present;

  Part() {
    for (std::int32_t v = 0; v < kData.variables; ++v) {
      random_column(kData, v, all.column(v));
      if (v < own.end()) random_column(kData, v, own.column(v));
      present.push_back(all.present(v));
    }
  }
};

TEST(PieceWork, IsWhatThePairsAre) {
  const Part part;
  const Correlator correlator(part.layout, part.own, part.present);
  const auto is_complete = [&](std::int32_t v) {
    return part.present[static_cast<std::size_t>(v)] == kData.observations;
  };
  PieceWork sum;
  for (const Piece& piece : part.order) {
    const PieceWork work = correlator.work(piece);
    std::int64_t gapped = 0;
    std::int64_t complete = 0;
    for (std::int32_t other = piece.first; other < piece.first + piece.count; ++other) {
      for (std::int32_t own = 0; own < part.own.end(); ++own) {
        if (!part.layout.computed_by_holder(own, other)) continue;
        ++(is_complete(own) && is_complete(other) ? complete : gapped);
      }
    }
    EXPECT_EQ(work.gapped_pairs, gapped) << piece.first;
    EXPECT_GE(work.products, (complete + 1023) / 1024) << piece.first;
    EXPECT_LE(work.products, 4) << piece.first;  // own tiles
    EXPECT_EQ(work.centred_columns + work.passed_columns, piece.count);
    sum.centred_columns += work.centred_columns;
    sum.products += work.products;
    sum.gapped_pairs += work.gapped_pairs;
  }
  std::int64_t complete_variables = 0;
  for (std::int32_t v = 0; v < kData.variables; ++v) complete_variables += is_complete(v) ? 1 : 0;
  EXPECT_EQ(sum.centred_columns, complete_variables);
  EXPECT_GT(sum.products, 0);
  EXPECT_GT(sum.gapped_pairs, 1000);
}

TEST(PieceCosts, AddUpToWhatThePiecesTake) {
  const Part part;
  Correlator correlator(part.layout, part.own, part.present);
  ResultRows results(0, part.own.end(), kData.variables);
  const std::int64_t begin_ns = apps::thread_cpu_ns();
  for (const Piece& piece : part.order) {
    correlator.correlate(piece, part.all.column(piece.first), results);
  }
  const auto real_ns = static_cast<double>(apps::thread_cpu_ns() - begin_ns);

  PieceSampler sampler(part.layout, part.own, part.order);
  const PieceCosts costs = sampler.sample(results);
  std::mt19937_64 random = apps::step_random(1, 0);
  double drawn_ns = 0.0;
  for (const Piece& piece : part.order) drawn_ns += costs.draw(correlator.work(piece), random);
  EXPECT_GT(drawn_ns, real_ns / 3);
  EXPECT_LT(drawn_ns, real_ns * 3);
  // A pair of its own costs more than a pair of a product of 32 x 32.
  EXPECT_GT(costs.gapped_pair.mean_ns(), costs.product.mean_ns() / 1024);
}

}  // namespace
}  // namespace mpiactor::vcc
