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

// How many entries of a scatter's request are published where the root has laid all blocks down;
// more say that it lets others read them, which it alone decides.
inline constexpr std::uint64_t kLaidDown = 1;

// All ranks on one node, container.single_copy(), fits_direct_scatter(). Nobody waits longer for a
// late rank than copying takes.
//
// Root: the blocks of `bytes`; its own is moved, too, where there is a place for it.
LeftBlocks give_directly(Container& container, std::uint64_t bytes, RankBlocks& all,
                         RankBlocks* mine);
// Another rank, which has seen that more than kLaidDown is published in request `sequence`, and has
// room for `room` bytes.
struct TakenDirectly {
  LeftBlocks left;
  bool truncated = false;  // what was taken
};
TakenDirectly take_directly(Container& container, std::uint64_t sequence, std::uint64_t room,
                            RankBlocks& mine);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_DIRECT_SCATTER_H_
