#include "inter/tofu_algos/ladder.h"

#include <algorithm>
#include <cstdint>

namespace mpiactor::inter {
namespace {

using Walk = std::vector<LadderPoint>;

// Columns one after the other, from `first`, going round where the ladder does.
struct Stretch {
  int first = 0;
  int count = 0;
};

int column_at(const Ladder& ladder, const Stretch& stretch, int index) {
  return (stretch.first + index) % ladder.columns;
}

int blocked_rungs(const Ladder& ladder, int column) {
  int count = 0;
  for (int rung = 0; rung < ladder.rungs; ++rung) count += ladder.blocked(column, rung);
  return count;
}

// The first stretch of `count` columns in each of which `good(column)`.
template <typename Good>
std::optional<Stretch> find_stretch(const Ladder& ladder, int count, Good&& good) {
  if (count > ladder.columns) return std::nullopt;
  const int starts = ladder.columns_wrap ? ladder.columns : ladder.columns - count + 1;
  int run = 0;
  for (int column = 0; column < starts + count - 1; ++column) {
    run = good(column % ladder.columns) ? run + 1 : 0;
    if (run >= count) return Stretch{column - count + 1, count};
  }
  return std::nullopt;
}

// To and fro through whole columns: a path, not closed.
std::optional<Walk> boustrophedon(const Ladder& ladder, int length) {
  const int columns = (length + ladder.rungs - 1) / ladder.rungs;
  const auto stretch =
      find_stretch(ladder, columns, [&](int column) { return blocked_rungs(ladder, column) == 0; });
  if (!stretch) return std::nullopt;
  Walk walk;
  for (int i = 0; i < columns; ++i) {
    for (int j = 0; j < ladder.rungs && static_cast<int>(walk.size()) < length; ++j) {
      walk.push_back({column_at(ladder, *stretch, i), i % 2 == 0 ? j : ladder.rungs - 1 - j});
    }
  }
  return walk;
}

std::optional<Walk> single_point(const Ladder& ladder) {
  for (int column = 0; column < ladder.columns; ++column) {
    for (int rung = 0; rung < ladder.rungs; ++rung) {
      if (!ladder.blocked(column, rung)) return Walk{{column, rung}};
    }
  }
  return std::nullopt;
}

std::optional<Walk> pair_on(const Ladder& ladder) {
  for (int column = 0; column < ladder.columns; ++column) {
    for (int rung = 0; rung < ladder.rungs; ++rung) {
      if (ladder.blocked(column, rung)) continue;
      if (rung + 1 < ladder.rungs && !ladder.blocked(column, rung + 1)) {
        return Walk{{column, rung}, {column, rung + 1}};
      }
      if (column + 1 < ladder.columns && !ladder.blocked(column + 1, rung)) {
        return Walk{{column, rung}, {column + 1, rung}};
      }
    }
  }
  return std::nullopt;
}

// Out on rung 0 and back on rung 1.
std::optional<Walk> loop_on_two(const Ladder& ladder, int length) {
  if (length % 2 != 0) return std::nullopt;
  const auto stretch = find_stretch(ladder, length / 2,
                                    [&](int column) { return blocked_rungs(ladder, column) == 0; });
  if (!stretch) return std::nullopt;
  Walk walk;
  for (int i = 0; i < stretch->count; ++i) walk.push_back({column_at(ladder, *stretch, i), 0});
  for (int i = stretch->count; i-- > 0;) walk.push_back({column_at(ladder, *stretch, i), 1});
  return walk;
}

// On three rungs the walk runs out on one rail and back on another; `spare` is the rung that
// neither uses between a column and the next. A column gives two points, or, taking in the spare
// one, three: then a rail changes over to it, and another rung is the spare one from there on.
struct Column {
  int spare_after = 0;
  bool takes_three = false;
};

class LoopOnThree {
 public:
  LoopOnThree(const Ladder& ladder, const Stretch& stretch, int length)
      : ladder_(ladder), stretch_(stretch), threes_(length - 2 * stretch.count) {}

  std::optional<Walk> find() {
    if (threes_ < 0 || threes_ > stretch_.count) return std::nullopt;
    const auto states =
        static_cast<std::size_t>(stretch_.count) * 3 * static_cast<std::size_t>(threes_ + 1);
    dead_ends_.assign(states, false);
    columns_.resize(static_cast<std::size_t>(stretch_.count));
    for (int spare = 0; spare < 3; ++spare) {
      for (bool takes_three : {true, false}) {
        if (!end_column_allows(0, spare, takes_three)) continue;
        columns_[0] = {spare, takes_three};
        if (extend(1, spare, threes_ - takes_three)) return walk();
      }
    }
    return std::nullopt;
  }

 private:
  bool is_blocked(int index, int rung) const {
    return ladder_.blocked(column_at(ladder_, stretch_, index), rung);
  }

  // Rungs other than the spare one must be free; the spare one where it is taken in.
  bool end_column_allows(int index, int spare, bool takes_three) const {
    for (int rung = 0; rung < 3; ++rung) {
      if (rung == spare ? takes_three && is_blocked(index, rung) : is_blocked(index, rung)) {
        return false;
      }
    }
    return true;
  }

  // Chooses columns `index` and after; `threes` columns are still to take three points.
  bool extend(int index, int spare, int threes) {
    if (threes < 0 || threes > stretch_.count - index) return false;
    if (index == stretch_.count - 1) {
      columns_.back() = {spare, threes == 1};
      return threes <= 1 && end_column_allows(index, spare, threes == 1);
    }
    const std::size_t state =
        (static_cast<std::size_t>(index) * 3 + static_cast<std::size_t>(spare)) *
            static_cast<std::size_t>(threes_ + 1) +
        static_cast<std::size_t>(threes);
    if (dead_ends_[state]) return false;
    Column& column = columns_[static_cast<std::size_t>(index)];
    for (int next = 0; next < 3; ++next) {
      const bool takes_three = next != spare;
      if (!end_column_allows(index, spare, takes_three)) continue;
      column = {next, takes_three};
      if (extend(index + 1, next, threes - takes_three)) return true;
    }
    dead_ends_[state] = true;
    return false;
  }

  Walk walk() const {
    const int last = stretch_.count - 1;
    int spare = columns_[0].spare_after;
    int out = (spare + 1) % 3;
    int back = (spare + 2) % 3;
    Walk there;
    Walk home;  // in reverse
    auto add = [&](Walk& to, int index, int rung) {
      to.push_back({column_at(ladder_, stretch_, index), rung});
    };
    if (columns_[0].takes_three) add(there, 0, spare);
    add(there, 0, out);
    add(home, 0, back);
    for (int index = 1; index < last; ++index) {
      add(there, index, out);
      add(home, index, back);
      const Column& column = columns_[static_cast<std::size_t>(index)];
      if (column.takes_three) {
        // The rail on the rung that becomes the spare one changes over.
        int& changing = column.spare_after == out ? out : back;
        add(&changing == &out ? there : home, index, spare);
        changing = spare;
        spare = column.spare_after;
      }
    }
    add(there, last, out);
    if (columns_.back().takes_three) add(there, last, spare);
    add(home, last, back);
    there.insert(there.end(), home.rbegin(), home.rend());
    return there;
  }

  const Ladder& ladder_;
  Stretch stretch_;
  int threes_;
  std::vector<Column> columns_;
  std::vector<bool> dead_ends_;
};

// The search above remembers columns x length states; longer ladders want two rungs.
constexpr int kLongestOfThree = 1'000;

std::optional<Walk> loop_on_three(const Ladder& ladder, int length) {
  if (!ladder.rungs_wrap || ladder.columns > kLongestOfThree) return std::nullopt;
  if (length == 3) {
    const auto stretch =
        find_stretch(ladder, 1, [&](int column) { return blocked_rungs(ladder, column) == 0; });
    if (!stretch) return std::nullopt;
    return Walk{{stretch->first, 0}, {stretch->first, 1}, {stretch->first, 2}};
  }
  for (int count = std::max(2, (length + 2) / 3); count <= std::min(length / 2, ladder.columns);
       ++count) {
    const int starts = ladder.columns_wrap ? ladder.columns : ladder.columns - count + 1;
    for (int first = 0; first < starts; ++first) {
      if (auto walk = LoopOnThree(ladder, {first, count}, length).find()) return walk;
    }
  }
  return std::nullopt;
}

std::optional<Walk> closed_walk(const Ladder& ladder, int length) {
  if (length == 1) return single_point(ladder);
  if (length == 2) return pair_on(ladder);
  switch (ladder.rungs) {
    case 1:
      if (!ladder.columns_wrap || length != ladder.columns) return std::nullopt;
      return boustrophedon(ladder, length);
    case 2:
      return loop_on_two(ladder, length);
    case 3:
      return loop_on_three(ladder, length);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<std::vector<LadderPoint>> walk_on(const Ladder& ladder, int length, bool closed) {
  if (std::int64_t{ladder.columns} * ladder.rungs < length) return std::nullopt;
  auto walk = closed_walk(ladder, length);
  if (!walk && !closed) walk = boustrophedon(ladder, length);
  return walk;
}

}  // namespace mpiactor::inter
