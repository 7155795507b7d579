// The rounds in which the nodes of a torus meet in Swing [Swing] and in Bine trees [Bine].
//
// In the rounds of an axis of 2^k q nodes, q odd, position p meets p + rho(s) where p is even, and
// p - rho(s) where it is odd, s = 0 .. k - 1, with rho(s) = 1 - 2 + 4 - ... +- 2^s, which is (1 -
// (-2)^(s+1)) / 3: distances 1, 1, 3, 5, 11, ... in turn to either side, where doubling has 1, 2,
// 4, 8, 16. The q nodes that are left for each position modulo 2^k then meet in a round for every
// prime factor of q, all of a group at once. (The papers have no such rounds; their way for an even
// number of nodes leaves scattered blocks to every node.) The axes take turns.
//
// A round gives a node a digit, its place in the group that meets. Who meets in a round has the
// same digits in all earlier ones, and all digits together belong to one node alone. So a message
// can be cut, round by round, into the parts that digits stand for, each of them contiguous.
//
// A way is such an order of rounds. It begins with an axis, and forward (p = 0 meets 1 first) or
// mirrored (0 meets the last one). With two ways for each axis all links of all nodes are used at
// once.
#ifndef MPIACTOR_INTER_TOFU_ALGOS_SWING_ROUNDS_H_
#define MPIACTOR_INTER_TOFU_ALGOS_SWING_ROUNDS_H_

#include <vector>

#include "inter/plan.h"

namespace mpiactor::inter {

// rho(s).
int swing_distance(int s);

struct SwingWay {
  int first_axis = 0;
  bool mirrored = false;
};

// Two for every axis longer than two, one for an axis of two.
std::vector<SwingWay> swing_ways(const Shape& shape);

// Each way has an equal part of the message, but none that is shorter: very short messages go by
// the first ways alone.
inline constexpr std::uint64_t kShortestSwingPart = 512;

class SwingRounds {
 public:
  static constexpr int kNoSwing = -1;
  struct Round {
    int axis = 0;
    int radix = 2;   // nodes that meet
    int stride = 1;  // between the positions of members, but for a swing
    // Of a round of two at Swing's distance: s, and whether it is the last one of the axis.
    int swing = kNoSwing;
    bool last = false;
  };

  // kClosed: that whoever meets in rounds of two, in any order, is the same in the rounds of more;
  // on axes of 2^k q nodes with q > 1, position p then meets p +- 2^s within its 2^k.
  enum class Pairs { kSwing, kClosed };

  SwingRounds(const Shape& shape, const SwingWay& way, Pairs pairs);

  int count() const { return static_cast<int>(rounds_.size()); }
  const Round& round(int index) const { return rounds_[static_cast<std::size_t>(index)]; }
  int radix(int index) const { return round(index).radix; }
  int digit(int index, int node) const;
  // Whom `node` meets in the round: the one with that digit, perhaps itself.
  int member(int index, int node, int digit) const;

 private:
  int position_of(int axis, int coordinate) const;
  int coordinate_of(int axis, int position) const;
  int digit_at(const Round& round, int position) const;

  Shape shape_;
  bool mirrored_;
  std::vector<Round> rounds_;
};

// Sum of the radices of a way's rounds, at most: so many channels there are for each.
inline constexpr int kMostMeetings = kMaxChannels / 12;  // six ways, there and back
// Not on shapes with a large prime factor.
bool has_swing_rounds(const Shape& shape);

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_TOFU_ALGOS_SWING_ROUNDS_H_
