// The end of a request in which a member has offered others its memory (container/offer.h).
#ifndef MPIACTOR_ACTOR_NODE_OFFERS_H_
#define MPIACTOR_ACTOR_NODE_OFFERS_H_

#include <cstdint>
#include <span>

#include "actor/container/offer.h"

namespace mpiactor {

// Giver: waits for takers, not longer than staging `bytes` would take, then for those who still
// read. What is_taken() then does not say of must be moved in another way.
void close_offers(std::span<Offer* const> offers, std::uint64_t sequence, std::uint64_t bytes);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_NODE_OFFERS_H_
