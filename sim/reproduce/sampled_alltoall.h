// Alltoalls among more ranks than can be played message by message: a part of their rounds.
#ifndef MPIACTOR_SIM_REPRODUCE_SAMPLED_ALLTOALL_H_
#define MPIACTOR_SIM_REPRODUCE_SAMPLED_ALLTOALL_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "inter/plan.h"
#include "inter/registry.h"

namespace mpiactor::sim {

// One round in `every` of an alltoall with equal blocks, by linear, pairwise or doublespread. In a
// round each rank sends one block and takes one: to and from the ranks at one distance, which is a
// difference of ranks, for doublespread an offset on the torus. Rounds are drawn, one of every
// `every` successive ones, each together with the one of the opposite distance, so that the links
// of both directions carry equally much; of many draws the one is taken in which the links of all
// axes have most nearly their share. The rounds that are left keep their order and their waits.
class SampledAlltoall {
 public:
  // `every` 1: all rounds. Throws InputError where the algorithm is none of these, for fewer than
  // two ranks and for an `every` below 1.
  SampledAlltoall(const inter::Algorithm& algorithm, const inter::Shape& shape,
                  std::uint64_t block_bytes, int every);

  inter::Plan plan_of(int rank) const;
  std::size_t rounds() const { return rounds_; }
  // Rounds of the whole alltoall for one that is played.
  double rounds_per_round() const {
    return static_cast<double>(shape_.nodes() - 1) / static_cast<double>(rounds_);
  }

 private:
  // The rank at a distance from another; distances are numbered like ranks.
  int at_distance(int rank, int distance) const;
  int opposite(int distance) const;
  std::vector<int> choose_distances(int every) const;
  // How far the load of any axis is from its share, which is that of all distances.
  double imbalance(const std::vector<int>& distances) const;
  void make_first_plan(const inter::Algorithm& algorithm, std::uint64_t block_bytes, int every);

  inter::Shape shape_;
  bool on_torus_;  // distances are offsets on the torus
  std::size_t rounds_ = 0;
  inter::Plan first_;  // rank 0's; by symmetry, all others' but for the peers
};

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_REPRODUCE_SAMPLED_ALLTOALL_H_
