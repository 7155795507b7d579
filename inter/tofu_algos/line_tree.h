// A balanced binary tree over the positions of one line or ring.
#ifndef MPIACTOR_INTER_TOFU_ALGOS_LINE_TREE_H_
#define MPIACTOR_INTER_TOFU_ALGOS_LINE_TREE_H_

#include <vector>

namespace mpiactor::inter {

// Positions 0 .. extent - 1, the root being 0. The others are cut into two runs of (nearly) equal
// length, each headed by its middle, and so on: depth floor(log2 extent). On a ring the second run
// lies behind the root, and the two heads are reached in opposite directions.
struct LinePlace {
  int parent = -1;            // -1: this is the root
  std::vector<int> children;  // two at most
};

LinePlace line_place(int position, int extent);

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_TOFU_ALGOS_LINE_TREE_H_
