#include "apps/vcc/correlator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "apps/vcc/tile_product.h"

namespace mpiactor::vcc {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

double covariance(const PairMoments& moments) {
  return moments.common < 2 ? kUndefined : moments.xy / static_cast<double>(moments.common - 1);
}

// Undefined without two common observations, or where a variable does not vary over them.
double correlation(const PairMoments& moments) {
  if (moments.common < 2 || moments.xx <= 0.0 || moments.yy <= 0.0) return kUndefined;
  // In a type where the product neither overflows nor is rounded to the result's own precision: a
  // variable with itself gives 1.
  const auto squares = static_cast<long double>(moments.xx) * moments.yy;
  return std::clamp(static_cast<double>(moments.xy / std::sqrt(squares)), -1.0, 1.0);
}

}  // namespace

Correlator::Correlator(const Layout& layout, const Columns& own, std::vector<std::int64_t> present)
    : layout_(layout),
      own_(own),
      present_(std::move(present)),
      piece_tile_(empty_tile(0)),
      product_(static_cast<std::size_t>(layout.tile_width()) *
               static_cast<std::size_t>(layout.tile_width())) {
  for (std::int32_t first = own.first(); first < own.end();) {
    const std::int32_t number = layout.tile(first);
    const std::int32_t end = std::min((number + 1) * layout.tile_width(), own.end());
    own_tiles_.push_back(empty_tile(number));
    fill(own_tiles_.back(), first, end - first, own.column(first));
    first = end;
  }
}

double Correlator::bytes(const Layout& layout, std::int32_t count, std::int64_t observations) {
  // Own tiles, of which the first and the last may be partly filled, and that of the piece.
  const std::int32_t tiles = count / layout.tile_width() + 3;
  return static_cast<double>(tiles) * Columns::bytes(layout.tile_width(), observations);
}

Correlator::Tile Correlator::empty_tile(std::int32_t number) const {
  Tile tile{number, Columns(0, layout_.tile_width(), own_.observations()),
            std::vector<double>(static_cast<std::size_t>(layout_.tile_width()))};
  std::fill_n(tile.centred.column(0), layout_.tile_width() * tile.centred.stride(), 0.0);
  return tile;
}

void Correlator::fill(Tile& tile, std::int32_t first, std::int32_t count,
                      const double* values) const {
  for (std::int32_t i = 0; i < count; ++i) {
    const std::int32_t place = layout_.place(first + i);
    double* centred = tile.centred.column(place);
    if (is_complete(first + i)) {
      tile.squares[static_cast<std::size_t>(place)] =
          centre(values + i * own_.stride(), own_.observations(), centred);
    } else {
      std::fill_n(centred, own_.stride(), 0.0);
    }
  }
}

// Whether any pair of this tile and the piece is one of complete variables.
bool Correlator::any_product(const Tile& own_tile, const Piece& piece) const {
  const std::int32_t tile_begin = own_tile.number * layout_.tile_width();
  const std::int32_t begin = std::max(tile_begin, own_.first());
  const std::int32_t end = std::min(tile_begin + layout_.tile_width(), own_.end());
  const auto any_complete = [this](std::int32_t from, std::int32_t to) {
    for (std::int32_t variable = from; variable < to; ++variable) {
      if (is_complete(variable)) return true;
    }
    return false;
  };
  return any_complete(begin, end) && any_complete(piece.first, piece.first + piece.count);
}

PairMoments Correlator::moments(std::int32_t own, std::int32_t other, const Tile& own_tile,
                                const double* other_values) const {
  if (!is_complete(own) || !is_complete(other)) {
    return pair_moments(own_.column(own), other_values, own_.stride());
  }
  const auto own_place = static_cast<std::size_t>(layout_.place(own));
  const auto other_place = static_cast<std::size_t>(layout_.place(other));
  const double own_squares = own_tile.squares[own_place];
  if (own == other) return {own_.observations(), own_squares, own_squares, own_squares};
  const std::size_t lower = own > other ? other_place : own_place;
  const std::size_t higher = own > other ? own_place : other_place;
  return {own_.observations(), own_squares, piece_tile_.squares[other_place],
          product_[higher * static_cast<std::size_t>(layout_.tile_width()) + lower]};
}

void Correlator::correlate_tile(const Tile& own_tile, const Piece& piece, const double* values,
                                ResultRows& results) {
  if (any_product(own_tile, piece)) {
    // The lower tile on the left, whoever computes.
    const bool own_is_left = own_tile.number < layout_.tile(piece.first);
    const double* own_centred = own_tile.centred.column(0);
    const double* centred = piece_tile_.centred.column(0);
    tile_product(own_is_left ? own_centred : centred, own_is_left ? centred : own_centred,
                 own_.stride(), layout_.tile_width(), product_.data());
  }
  const std::int32_t tile_begin = own_tile.number * layout_.tile_width();
  const std::int32_t begin = std::max(tile_begin, own_.first());
  const std::int32_t end = std::min(tile_begin + layout_.tile_width(), own_.end());
  for (std::int32_t own = begin; own < end; ++own) {
    double* covariances = results.covariance(own);
    double* correlations = results.correlation(own);
    for (std::int32_t i = 0; i < piece.count; ++i) {
      const std::int32_t other = piece.first + i;
      if (!layout_.computed_by_holder(own, other)) continue;
      const PairMoments pair = moments(own, other, own_tile, values + i * own_.stride());
      covariances[other] = covariance(pair);
      correlations[other] = correlation(pair);
    }
  }
}

// Whether any of its pairs is this rank's to compute.
bool Correlator::is_due(const Tile& own_tile, const Piece& piece) const {
  const std::int32_t number = layout_.tile(piece.first);
  return own_tile.number == number ||
         layout_.computed_by_holder(own_tile.number * layout_.tile_width(),
                                    number * layout_.tile_width());
}

void Correlator::bring_in(const Piece& piece, const double* values) {
  std::fill_n(piece_tile_.centred.column(0), layout_.tile_width() * own_.stride(), 0.0);
  fill(piece_tile_, piece.first, piece.count, values);
}

void Correlator::correlate_with_own(const Piece& piece, const double* values, ResultRows& results) {
  for (const Tile& own_tile : own_tiles_) {
    if (is_due(own_tile, piece)) correlate_tile(own_tile, piece, values, results);
  }
}

PieceWork Correlator::work(const Piece& piece) const {
  PieceWork work;
  for (std::int32_t other = piece.first; other < piece.first + piece.count; ++other) {
    ++(is_complete(other) ? work.centred_columns : work.passed_columns);
    for (std::int32_t own = own_.first(); own < own_.end(); ++own) {
      const bool is_gapped = !is_complete(own) || !is_complete(other);
      if (is_gapped && layout_.computed_by_holder(own, other)) ++work.gapped_pairs;
    }
  }
  for (const Tile& own_tile : own_tiles_) {
    if (is_due(own_tile, piece) && any_product(own_tile, piece)) ++work.products;
  }
  return work;
}

}  // namespace mpiactor::vcc
