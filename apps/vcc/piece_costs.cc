#include "apps/vcc/piece_costs.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace mpiactor::vcc {
namespace {

Columns with_zeros_for_missing(const Columns& own) {
  Columns copy = own;
  for (std::int32_t variable = copy.first(); variable < copy.end(); ++variable) {
    double* values = copy.column(variable);
    for (std::int64_t t = 0; t < copy.observations(); ++t) {
      if (std::isnan(values[t])) values[t] = 0.0;
    }
  }
  return copy;
}

std::vector<Piece> pieces_of(const Columns& own, const std::vector<Piece>& order) {
  std::vector<Piece> pieces;
  for (const Piece& piece : order) {
    if (piece.first >= own.first() && piece.first < own.end()) pieces.push_back(piece);
  }
  return pieces;
}

// What a correlator is told of how many values each variable has.
std::vector<std::int64_t> all_present(const Layout& layout, std::int64_t values) {
  return std::vector<std::int64_t>(static_cast<std::size_t>(layout.variables()), values);
}

}  // namespace

double PieceCosts::draw(const PieceWork& work, std::mt19937_64& random) const {
  return centred_column.draw(work.centred_columns, random) +
         passed_column.draw(work.passed_columns, random) + product.draw(work.products, random) +
         gapped_pair.draw(work.gapped_pairs, random);
}

PieceSampler::PieceSampler(const Layout& layout, const Columns& own,
                           const std::vector<Piece>& order)
    : own_(own),
      without_gaps_(with_zeros_for_missing(own)),
      own_pieces_(pieces_of(own, order)),
      complete_(layout, without_gaps_, all_present(layout, own.observations())),
      gapped_(layout, own, all_present(layout, own.observations() - 1)) {}

double PieceSampler::bytes(const Layout& layout, std::int32_t count, std::int64_t observations) {
  return Columns::bytes(count, observations) + 2 * Correlator::bytes(layout, count, observations);
}

PieceCosts PieceSampler::sample(ResultRows& results) {
  PieceCosts costs;
  take(complete_, without_gaps_, results, costs.centred_column, costs.product);
  take(gapped_, own_, results, costs.passed_column, costs.gapped_pair);
  return costs;
}

// Of one of the correlators: all columns are of one kind, and so is the rest of its work.
void PieceSampler::take(Correlator& correlator, const Columns& columns, ResultRows& results,
                        apps::UnitCosts& column, apps::UnitCosts& rest) const {
  // The first one, which finds cold caches, does not count.
  for (int sample = 0; sample <= apps::kCostSamples; ++sample) {
    const Piece& piece = own_pieces_[static_cast<std::size_t>(sample) % own_pieces_.size()];
    const double* values = columns.column(piece.first);
    const PieceWork work = correlator.work(piece);
    const std::int64_t begin_ns = apps::thread_cpu_ns();
    correlator.bring_in(piece, values);
    const std::int64_t brought_ns = apps::thread_cpu_ns();
    correlator.correlate_with_own(piece, values, results);
    const std::int64_t end_ns = apps::thread_cpu_ns();
    if (sample == 0) continue;
    column.add(brought_ns - begin_ns, work.centred_columns + work.passed_columns);
    rest.add(end_ns - brought_ns, work.products + work.gapped_pairs);
  }
}

}  // namespace mpiactor::vcc
