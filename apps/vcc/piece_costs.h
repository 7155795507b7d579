// How long a rank takes for the kinds of work in a piece, measured on its own data.
#ifndef MPIACTOR_APPS_VCC_PIECE_COSTS_H_
#define MPIACTOR_APPS_VCC_PIECE_COSTS_H_

#include <random>
#include <vector>

#include "apps/common/asleep.h"
#include "apps/vcc/columns.h"
#include "apps/vcc/correlator.h"
#include "apps/vcc/layout.h"
#include "apps/vcc/result_rows.h"

namespace mpiactor::vcc {

struct PieceCosts {
  apps::UnitCosts centred_column{"centred_column"};
  apps::UnitCosts passed_column{"passed_column"};
  apps::UnitCosts product{"product"};
  apps::UnitCosts gapped_pair{"gapped_pair"};

  std::vector<apps::UnitCosts> all() const {
    return {centred_column, passed_column, product, gapped_pair};
  }
  // ns of a piece with that work.
  double draw(const PieceWork& work, std::mt19937_64& random) const;
};

// Times this rank's own pieces with its own columns, twice: as if all variables were complete,
// missing values being zeros, and as if all had gaps. So every rank knows what each kind costs,
// whatever it holds.
class PieceSampler {
 public:
  // `own` and `layout` must outlive this.
  PieceSampler(const Layout& layout, const Columns& own, const std::vector<Piece>& order);

  // Bytes that the constructor takes, of `count` own variables.
  static double bytes(const Layout& layout, std::int32_t count, std::int64_t observations);

  // Overwrites `results`, which have rows for `own`.
  PieceCosts sample(ResultRows& results);

 private:
  void take(Correlator& correlator, const Columns& columns, ResultRows& results,
            apps::UnitCosts& column, apps::UnitCosts& rest) const;

  const Columns& own_;
  Columns without_gaps_;
  std::vector<Piece> own_pieces_;
  Correlator complete_;
  Correlator gapped_;
};

}  // namespace mpiactor::vcc

#endif  // MPIACTOR_APPS_VCC_PIECE_COSTS_H_
