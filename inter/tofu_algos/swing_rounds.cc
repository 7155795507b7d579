#include "inter/tofu_algos/swing_rounds.h"

#include "inter/routes.h"
#include "inter/tofu_algos/folded_line.h"

namespace mpiactor::inter {
namespace {

int swing_partner(int position, int s, int extent) {
  const int distance = swing_distance(s);
  return (position + (position % 2 == 0 ? distance : -distance) + extent) % extent;
}

std::vector<SwingRounds::Round> rounds_of_axis(int axis, int extent, SwingRounds::Pairs pairs) {
  const auto power = extent & -extent;
  const bool swings = pairs == SwingRounds::Pairs::kSwing || power == extent;
  std::vector<SwingRounds::Round> rounds;
  int stride = 1;
  for (int left = extent, factor = 2; left > 1;) {
    if (factor * factor > left) factor = left;
    if (left % factor != 0) {
      ++factor;
      continue;
    }
    SwingRounds::Round round{.axis = axis, .radix = factor, .stride = stride};
    if (factor == 2 && swings) round.swing = static_cast<int>(rounds.size());
    stride *= factor;
    round.last = stride == power;
    rounds.push_back(round);
    left /= factor;
  }
  return rounds;
}

}  // namespace

int swing_distance(int s) {
  int sum = 0;
  for (int power = 1; s >= 0; --s, power *= -2) sum += power;
  return sum;
}

std::vector<SwingWay> swing_ways(const Shape& shape) {
  std::vector<SwingWay> ways;
  for (const bool mirrored : {false, true}) {
    for (int axis = 0; axis < 3; ++axis) {
      if (shape.extent[axis] > (mirrored ? 2 : 1)) ways.push_back({axis, mirrored});
    }
  }
  return ways;
}

SwingRounds::SwingRounds(const Shape& shape, const SwingWay& way, Pairs pairs)
    : shape_(shape), mirrored_(way.mirrored) {
  std::vector<Round> of_axis[3];
  for (int axis = 0; axis < 3; ++axis)
    of_axis[axis] = rounds_of_axis(axis, shape.extent[axis], pairs);
  for (bool found = true; found;) {
    const std::size_t turn = rounds_.size();
    for (int step = 0; step < 3; ++step) {
      std::vector<Round>& rounds = of_axis[(way.first_axis + step) % 3];
      if (rounds.empty()) continue;
      rounds_.push_back(rounds.front());
      rounds.erase(rounds.begin());
    }
    found = rounds_.size() > turn;
  }
}

int SwingRounds::position_of(int axis, int coordinate) const {
  const int extent = shape_.extent[axis];
  const int position = is_ring(shape_, axis) ? coordinate : folded_position(coordinate, extent);
  return mirrored_ ? (extent - position) % extent : position;
}

int SwingRounds::coordinate_of(int axis, int position) const {
  const int extent = shape_.extent[axis];
  const int there = mirrored_ ? (extent - position) % extent : position;
  return is_ring(shape_, axis) ? there : unfolded(there, extent);
}

// Even positions count in pairs; an odd one has the digit that its partner has not. Positions 2 j
// and 2 j + rho(t), t > s, so have the same digit s, as rho(t) - rho(s) is an odd multiple of
// 2^(s+1). In the last round of two the digit is free and made such that it, with the others,
// depends on the position modulo 2^k alone.
int SwingRounds::digit_at(const Round& round, int position) const {
  if (round.swing == kNoSwing) return position / round.stride % round.radix;
  if (round.last) return position % 2;
  const auto of_even = [&](int even) { return (even / 2 >> round.swing) & 1; };
  if (position % 2 == 0) return of_even(position);
  return 1 - of_even(swing_partner(position, round.swing, shape_.extent[round.axis]));
}

int SwingRounds::digit(int index, int node) const {
  const Round& at = round(index);
  return digit_at(at, position_of(at.axis, coordinates_of(shape_, node).at[at.axis]));
}

int SwingRounds::member(int index, int node, int digit) const {
  const Round& at = round(index);
  Coordinates where = coordinates_of(shape_, node);
  int& coordinate = where.at[at.axis];
  const int position = position_of(at.axis, coordinate);
  const int own = digit_at(at, position);
  if (digit == own) return node;
  const int there = at.swing == kNoSwing
                        ? position + (digit - own) * at.stride
                        : swing_partner(position, at.swing, shape_.extent[at.axis]);
  coordinate = coordinate_of(at.axis, there);
  return node_at(shape_, where);
}

bool has_swing_rounds(const Shape& shape) {
  int meetings = 0;
  for (int axis = 0; axis < 3; ++axis) {
    for (const SwingRounds::Round& round :
         rounds_of_axis(axis, shape.extent[axis], SwingRounds::Pairs::kSwing)) {
      meetings += round.radix;
    }
  }
  return meetings <= kMostMeetings;
}

}  // namespace mpiactor::inter
