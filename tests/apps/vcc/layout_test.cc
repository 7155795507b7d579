// Every variable is broadcast once and every pair computed once.
#include "apps/vcc/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace mpiactor::vcc {
namespace {

using ::testing::ElementsAre;

TEST(Layout, PairsAreComputedByExactlyOneHolder) {
  for (const std::int32_t tile_width : {1, 3, 8}) {
    const Layout layout(25, 4, tile_width);
    for (std::int32_t i = 0; i < 25; ++i) {
      EXPECT_TRUE(layout.computed_by_holder(i, i));
      for (std::int32_t j = 0; j < i; ++j) {
        EXPECT_NE(layout.computed_by_holder(i, j), layout.computed_by_holder(j, i))
            << i << " " << j;
      }
    }
  }
}

TEST(Layout, RanksShareThePairsEvenly) {
  const Layout layout(512, 4, 32);
  for (int rank = 0; rank < 4; ++rank) {
    int pairs = 0;
    for (std::int32_t own = layout.ranges().begin(rank); own < layout.ranges().end(rank); ++own) {
      for (std::int32_t other = 0; other < 512; ++other) {
        pairs += layout.computed_by_holder(own, other) ? 1 : 0;
      }
    }
    // A quarter of 512 * 513 / 2 would be 32,832.
    EXPECT_GT(pairs, 31'000);
    EXPECT_LT(pairs, 35'000);
  }
}

TEST(Layout, RootsRotateAndPiecesKeepToTilesAndRanks) {
  // Ranks hold 0..4, 5..9, 10..14; tiles are 0..3, 4..7, 8..11, 12..14.
  EXPECT_THAT(broadcast_order(Layout(15, 3, 4)),
              ElementsAre(Piece{0, 4, 0}, Piece{5, 3, 1}, Piece{10, 2, 2}, Piece{4, 1, 0},
                          Piece{8, 2, 1}, Piece{12, 3, 2}));
}

TEST(Layout, PiecesCoverAllVariablesOnce) {
  for (const int ranks : {1, 2, 7, 40}) {
    for (const std::int32_t tile_width : {1, 16, 100}) {
      const Layout layout(40, ranks, tile_width);
      std::vector<int> seen(40, 0);
      for (const Piece& piece : broadcast_order(layout)) {
        EXPECT_GE(piece.first, layout.ranges().begin(piece.owner));
        EXPECT_LE(piece.first + piece.count, layout.ranges().end(piece.owner));
        EXPECT_EQ(layout.tile(piece.first), layout.tile(piece.first + piece.count - 1));
        for (std::int32_t i = 0; i < piece.count; ++i) {
          ++seen[static_cast<std::size_t>(piece.first + i)];
        }
      }
      EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), 40);
    }
  }
}

}  // namespace
}  // namespace mpiactor::vcc
