// The work of one rank: its own variables with those that are broadcast.
#ifndef MPIACTOR_APPS_VCC_CORRELATOR_H_
#define MPIACTOR_APPS_VCC_CORRELATOR_H_

#include <cstdint>
#include <vector>

#include "apps/vcc/columns.h"
#include "apps/vcc/layout.h"
#include "apps/vcc/moments.h"
#include "apps/vcc/result_rows.h"

namespace mpiactor::vcc {

// What a piece costs a rank, in kinds of work whose units cost the same whatever the values are.
struct PieceWork {
  std::int64_t centred_columns = 0;  // of the piece, complete
  std::int64_t passed_columns = 0;   // of the piece, with gaps: not centred
  std::int64_t products = 0;         // of tiles, with the pairs of complete variables in them
  std::int64_t gapped_pairs = 0;     // of variables of which either has gaps, each by itself
};

// Computes, for a broadcast piece, all pairs that Layout::computed_by_holder gives to this rank.
// Pairs of complete variables come from one product of tiles; the others, where observations of
// either are missing, are computed each by itself over the observations that both have. So a
// piece costs the more the more gaps it meets.
class Correlator {
 public:
  // `present[v]`: values of variable v that are not missing. `own` and `layout` must outlive this.
  Correlator(const Layout& layout, const Columns& own, std::vector<std::int64_t> present);

  // Bytes that a correlator of `count` variables takes besides `own`.
  static double bytes(const Layout& layout, std::int32_t count, std::int64_t observations);

  // `values`: the columns of `piece`, as in Columns. Fills rows of this rank's own variables.
  void correlate(const Piece& piece, const double* values, ResultRows& results) {
    bring_in(piece, values);
    correlate_with_own(piece, values, results);
  }
  // Its two parts: centres the piece's complete columns; then takes them with this rank's own.
  void bring_in(const Piece& piece, const double* values);
  void correlate_with_own(const Piece& piece, const double* values, ResultRows& results);

  // What `correlate` has to do for this piece.
  PieceWork work(const Piece& piece) const;

 private:
  // Centred columns at their places in a tile; zeros for the others.
  struct Tile {
    std::int32_t number;
    Columns centred;
    std::vector<double> squares;  // by place
  };

  bool is_complete(std::int32_t variable) const {
    return present_[static_cast<std::size_t>(variable)] == own_.observations();
  }
  Tile empty_tile(std::int32_t number) const;
  void fill(Tile& tile, std::int32_t first, std::int32_t count, const double* values) const;
  bool any_product(const Tile& own_tile, const Piece& piece) const;
  bool is_due(const Tile& own_tile, const Piece& piece) const;
  void correlate_tile(const Tile& own_tile, const Piece& piece, const double* values,
                      ResultRows& results);
  PairMoments moments(std::int32_t own, std::int32_t other, const Tile& own_tile,
                      const double* other_values) const;

  const Layout& layout_;
  const Columns& own_;
  std::vector<std::int64_t> present_;
  std::vector<Tile> own_tiles_;
  Tile piece_tile_;
  std::vector<double> product_;
};

}  // namespace mpiactor::vcc

#endif  // MPIACTOR_APPS_VCC_CORRELATOR_H_
