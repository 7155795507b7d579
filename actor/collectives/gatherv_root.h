// The root's part of a Gatherv, see gatherv.cc.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_GATHERV_ROOT_H_
#define MPIACTOR_ACTOR_COLLECTIVES_GATHERV_ROOT_H_

#include "actor/buffers/rank_blocks.h"
#include "actor/collectives/call_facts.h"
#include "actor/container/container.h"
#include "actor/container/send_buffers.h"

namespace mpiactor {

// `call`: a gatherv, or a gather. `mine`: nullptr where the root's own block is in place. Returns
// whether somebody has sent more than there is room for.
bool collect_variable(const CallFacts& call, Container& container, SendBuffers& send_buffers,
                      RankBlocks* mine, RankBlocks& all);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_GATHERV_ROOT_H_
