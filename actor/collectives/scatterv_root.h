// The root's part of a Scatterv, see scatterv.cc, and what it says to the others.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_SCATTERV_ROOT_H_
#define MPIACTOR_ACTOR_COLLECTIVES_SCATTERV_ROOT_H_

#include <cstdint>

#include "actor/collectives/rank_blocks.h"
#include "actor/collectives/request_leaders.h"
#include "actor/container/container.h"
#include "actor/container/outbox.h"

namespace mpiactor {

// The first number of a letter. kForNode: the members' sizes follow, then their blocks. kForOne:
// the size of the receiver's block, and the block itself up to kOwnLetterBlockBytes; a longer one
// comes as MailKind::kOwnBlock.
enum LetterFor : std::uint64_t { kForNode = 0, kForOne = 1 };

// What a block takes in a room.
constexpr std::uint64_t in_room(std::uint64_t bytes) { return (bytes + 63) / 64 * 64; }

// `mine`: nullptr where the root's own block stays in place. Returns whether that is longer than
// its room.
bool give_variable(Container& container, Outbox& outbox, RankBlocks& all, RankBlocks* mine);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_SCATTERV_ROOT_H_
