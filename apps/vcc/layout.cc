#include "apps/vcc/layout.h"

#include <algorithm>

namespace mpiactor::vcc {

std::vector<Piece> broadcast_order(const Layout& layout) {
  const apps::BlockRanges& ranges = layout.ranges();
  std::vector<std::int32_t> next(static_cast<std::size_t>(ranges.ranks()));
  for (int rank = 0; rank < ranges.ranks(); ++rank) {
    next[static_cast<std::size_t>(rank)] = ranges.begin(rank);
  }
  std::vector<Piece> order;
  for (std::int32_t done = 0; done < layout.variables();) {
    for (int rank = 0; rank < ranges.ranks(); ++rank) {
      std::int32_t& first = next[static_cast<std::size_t>(rank)];
      if (first == ranges.end(rank)) continue;
      const std::int32_t left_in_tile = layout.tile_width() - layout.place(first);
      const std::int32_t count = std::min(left_in_tile, ranges.end(rank) - first);
      order.push_back({first, count, rank});
      first += count;
      done += count;
    }
  }
  return order;
}

}  // namespace mpiactor::vcc
