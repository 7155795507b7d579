// Scatter of long blocks on one node by single copy, as far as ranks are there in time.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_DIRECT_SCATTER_H_
#define MPIACTOR_ACTOR_COLLECTIVES_DIRECT_SCATTER_H_

#include <cstdint>
#include <vector>

#include "actor/buffers/rank_blocks.h"
#include "actor/container/container.h"

namespace mpiactor {

// Blocks that are still to be moved, through staging: of ranks that came late, or whose buffers
// have gaps, or could not be read.
struct LeftBlocks {
  bool any = true;              // the same on all ranks
  std::vector<bool> of_member;  // empty: all. The root knows all, others their own

  bool has(int member) const {
    return of_member.empty() || of_member[static_cast<std::size_t>(member)];
  }
};

// Whether the node's members are few enough.
bool fits_direct_scatter(const Container& container);
// All ranks on one node, container.single_copy(), fits_direct_scatter(). Arguments as
// hybrid_scatter()'s. Nobody waits longer for a late rank than copying takes. The root's own block
// is moved here.
LeftBlocks direct_scatter(Container& container, std::uint64_t bytes, RankBlocks* all,
                          RankBlocks* mine, int root);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_DIRECT_SCATTER_H_
