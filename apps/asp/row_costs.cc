#include "apps/asp/row_costs.h"

#include <algorithm>
#include <cstddef>

namespace mpiactor::asp {
namespace {

// A square matrix of bits, each row in words of its own.
class BitRows {
 public:
  explicit BitRows(std::int32_t size)
      : words_((static_cast<std::size_t>(size) + 63) / 64),
        bits_(static_cast<std::size_t>(size) * words_) {}

  bool get(std::int32_t row, std::int32_t column) const {
    return (of(row)[column / 64] >> (column % 64) & 1u) != 0;
  }
  void set(std::int32_t row, std::int32_t column) {
    bits_[static_cast<std::size_t>(row) * words_ + static_cast<std::size_t>(column / 64)] |=
        std::uint64_t{1} << (column % 64);
  }
  void add(std::int32_t row, std::int32_t other) {
    std::uint64_t* to = &bits_[static_cast<std::size_t>(row) * words_];
    const std::uint64_t* from = of(other);
    for (std::size_t i = 0; i < words_; ++i) to[i] |= from[i];
  }

 private:
  const std::uint64_t* of(std::int32_t row) const {
    return &bits_[static_cast<std::size_t>(row) * words_];
  }

  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace

std::vector<std::int32_t> count_reaching_rows(const Graph& graph, const apps::BlockRanges& blocks,
                                              int ranks) {
  BitRows reached(graph.vertices);
  for (std::int32_t i = 0; i < graph.vertices; ++i) reached.set(i, i);
  for (const Arc& arc : graph.arcs) reached.set(arc.from, arc.to);

  const auto vertices = static_cast<std::size_t>(graph.vertices);
  std::vector<std::int32_t> counts(static_cast<std::size_t>(ranks) * vertices);
  for (std::int32_t k = 0; k < graph.vertices; ++k) {
    for (int rank = 0; rank < ranks; ++rank) {
      std::int32_t& count =
          counts[static_cast<std::size_t>(rank) * vertices + static_cast<std::size_t>(k)];
      for (std::int32_t i = blocks.begin(rank); i < blocks.end(rank); ++i) {
        if (!reached.get(i, k)) continue;
        ++count;
        if (i != k) reached.add(i, k);
      }
    }
  }
  return counts;
}

RowCosts sample_row_costs(DistanceRows& rows, Relaxer& relaxer) {
  RowCosts costs;
  if (rows.count() == 0) return costs;
  const DistanceRows pivot(0, 1, rows.columns());
  for (const bool is_relaxed : {true, false}) {
    apps::UnitCosts& kind = is_relaxed ? costs.relaxed : costs.skipped;
    const std::int32_t columns = std::min(apps::kCostSamples + 1, rows.columns());
    for (std::int32_t i = rows.begin(); i < rows.end(); ++i) {
      std::fill_n(rows.row(i), columns, is_relaxed ? 0 : kUnreachable);
    }
    // The first step, which finds cold caches, does not count.
    for (std::int32_t sample = 0; sample <= apps::kCostSamples; ++sample) {
      const std::int64_t begin_ns = apps::thread_cpu_ns();
      relaxer.relax(rows, {pivot.row(0), pivot.stride(), sample % columns, 1});
      if (sample > 0) kind.add(apps::thread_cpu_ns() - begin_ns, rows.count());
    }
  }
  return costs;
}

std::vector<double> draw_steps(const RowCosts& costs, const std::vector<std::int32_t>& reaching,
                               std::int32_t rows, std::mt19937_64& random) {
  std::vector<double> steps_ns;
  steps_ns.reserve(reaching.size());
  for (const std::int32_t relaxed : reaching) {
    steps_ns.push_back(costs.relaxed.draw(relaxed, random) +
                       costs.skipped.draw(rows - relaxed, random));
  }
  return steps_ns;
}

}  // namespace mpiactor::asp
