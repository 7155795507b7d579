// Node ranks counted from the root, so that algorithms may take the root to be 0.
#ifndef MPIACTOR_INTER_VIRTUAL_RANK_H_
#define MPIACTOR_INTER_VIRTUAL_RANK_H_

#include "inter/plan.h"

namespace mpiactor::inter {

struct VirtualRank {
  int root_node = 0;
  int nodes = 1;

  explicit VirtualRank(const PlanInput& input)
      : root_node(input.root_node), nodes(static_cast<int>(input.shape.nodes())) {}

  int of_node(int node) const {
    return node >= root_node ? node - root_node : node - root_node + nodes;
  }
  int to_node(int virtual_rank) const {
    return virtual_rank < nodes - root_node ? virtual_rank + root_node
                                            : virtual_rank + root_node - nodes;
  }
};

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_VIRTUAL_RANK_H_
