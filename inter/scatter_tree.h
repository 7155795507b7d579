// Recursive halving of virtual ranks, shared by the scatter + allgather broadcasts.
#ifndef MPIACTOR_INTER_SCATTER_TREE_H_
#define MPIACTOR_INTER_SCATTER_TREE_H_

#include <vector>

#include "inter/blocks.h"
#include "inter/plan.h"

namespace mpiactor::inter {

// Virtual ranks [begin, end) split into [begin, middle) and [middle, end); the lower part has as
// many ranks as the upper one, or one more.
struct Halving {
  int begin = 0;
  int middle = 0;
  int end = 0;
};

// The halvings that `virtual_rank` passes through, from all `nodes` ranks down to itself alone:
// ceil(log2 nodes) at most.
std::vector<Halving> halvings(int virtual_rank, int nodes);

// First rank after those whose blocks the scatter brings to `virtual_rank`, its own being the
// first: it holds blocks [virtual_rank, scatter_end) once the scatter is done; the root holds all.
int scatter_end(int virtual_rank, int nodes);

// Adds the scatter's operations of one node: in every halving the first rank of the lower part
// sends the upper part's blocks to the first rank of the upper part. With a power of two of nodes
// this is the binomial scatter. Uses channel 0. Returns the receive, or kNoOp.
std::uint32_t add_scatter(Plan& plan, const PlanInput& input, const Blocks& blocks);

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_SCATTER_TREE_H_
