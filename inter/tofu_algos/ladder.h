// Closed walks on a ladder: a row of columns, each with the same one, two or three rungs,
// neighbours within a column and from column to column on the same rung.
#ifndef MPIACTOR_INTER_TOFU_ALGOS_LADDER_H_
#define MPIACTOR_INTER_TOFU_ALGOS_LADDER_H_

#include <functional>
#include <optional>
#include <vector>

namespace mpiactor::inter {

struct Ladder {
  int columns = 1;
  int rungs = 1;
  bool columns_wrap = false;  // the last column is a neighbour of the first
  bool rungs_wrap = false;    // with three rungs: the last is a neighbour of the first
  // Points that the walk must leave out.
  std::function<bool(int column, int rung)> blocked;
};

struct LadderPoint {
  int column = 0;
  int rung = 0;
  bool operator==(const LadderPoint&) const = default;
};

// A walk over `length` different points, each a neighbour of the one before, and with `closed` the
// last of the first (two points count as closed). Nothing where this method finds none.
std::optional<std::vector<LadderPoint>> walk_on(const Ladder& ladder, int length, bool closed);

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_TOFU_ALGOS_LADDER_H_
