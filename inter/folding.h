// Brings the number of nodes down to a power of two, for algorithms that halve or double.
#ifndef MPIACTOR_INTER_FOLDING_H_
#define MPIACTOR_INTER_FOLDING_H_

#include <bit>
#include <cstdint>

namespace mpiactor::inter {

// Of the first 2 x (nodes - P) virtual ranks, P the largest power of two up to `nodes`, the odd
// ones give their contribution to the even one before them and step aside. The others have places 0
// .. P - 1; virtual rank 0 has place 0.
class Folding {
 public:
  explicit Folding(int nodes)
      : places_(static_cast<int>(std::bit_floor(static_cast<unsigned>(nodes)))),
        extra_(nodes - places_) {}

  int places() const { return places_; }
  bool steps_aside(int rank) const { return rank < 2 * extra_ && rank % 2 == 1; }
  // The rank that steps aside for `rank`, which has a place; -1 where none does.
  int guest_of(int rank) const { return rank < 2 * extra_ ? rank + 1 : -1; }
  int host_of(int rank) const { return rank - 1; }

  int place_of(int rank) const { return rank < 2 * extra_ ? rank / 2 : rank - extra_; }
  int rank_at(int place) const { return place < extra_ ? 2 * place : place + extra_; }

 private:
  int places_;
  int extra_;
};

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_FOLDING_H_
