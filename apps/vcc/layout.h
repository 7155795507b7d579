// Who holds, broadcasts and computes what.
#ifndef MPIACTOR_APPS_VCC_LAYOUT_H_
#define MPIACTOR_APPS_VCC_LAYOUT_H_

#include <cstdint>
#include <vector>

#include "apps/common/block_ranges.h"

namespace mpiactor::vcc {

// Variables (columns) in consecutive blocks over the ranks, and in tiles of `tile_width` variables
// that do not depend on the ranks: products are computed tile by tile, so that every result is the
// same however many ranks there are.
class Layout {
 public:
  // `variables`, `ranks`, `tile_width` >= 1.
  Layout(std::int32_t variables, int ranks, std::int32_t tile_width)
      : ranges_(variables, ranks), variables_(variables), tile_width_(tile_width) {}

  std::int32_t variables() const { return variables_; }
  const apps::BlockRanges& ranges() const { return ranges_; }

  std::int32_t tile_width() const { return tile_width_; }
  std::int32_t tile(std::int32_t variable) const { return variable / tile_width_; }
  // Place of a variable in its tile.
  std::int32_t place(std::int32_t variable) const { return variable % tile_width_; }

  // Each pair of variables is computed once, by the rank that holds one of them: by whoever holds
  // `own` when `other` is broadcast (true), or the other way round. Tiles meet like the fields of a
  // chessboard, so that each rank computes about half of what it holds times all.
  bool computed_by_holder(std::int32_t own, std::int32_t other) const {
    const std::int32_t own_tile = tile(own);
    const std::int32_t other_tile = tile(other);
    if (own_tile == other_tile) return own >= other;
    return ((own_tile + other_tile) % 2 == 1) == (own_tile > other_tile);
  }

 private:
  apps::BlockRanges ranges_;
  std::int32_t variables_;
  std::int32_t tile_width_;
};

// Consecutive variables of one tile and one rank: what one broadcast carries.
struct Piece {
  std::int32_t first = 0;
  std::int32_t count = 0;
  int owner = 0;

  bool operator==(const Piece&) const = default;
};

// All pieces in the order of their broadcasts: the first of every rank, the second of every rank,
// ..., so that the root changes from one to the next.
std::vector<Piece> broadcast_order(const Layout& layout);

}  // namespace mpiactor::vcc

#endif  // MPIACTOR_APPS_VCC_LAYOUT_H_
