// Allreduces between nodes, and in the order of arrival.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_ALLREDUCE_BETWEEN_H_
#define MPIACTOR_ACTOR_COLLECTIVES_ALLREDUCE_BETWEEN_H_

#include <cstdint>

#include "actor/collectives/collectives.h"
#include "actor/container/container.h"
#include "actor/reduction/reduction.h"
#include "inter/tuning.h"

namespace mpiactor {

// Memory that a request of vectors of `bytes` takes where every node sends every other one its
// whole vector.
std::uint64_t one_round_bytes(const Container& container, std::uint64_t bytes);
// Whether Container::work_bytes() is enough, the same on all ranks.
bool fits_one_round(const Container& container, std::uint64_t bytes);
void one_round_allreduce(Container& container, const Vector& vector, const Reduction& reduction);

// Any others, in the order of the members. `way`: kShares, each node combines a share of every
// block for all, if there is memory; else nodes run a plan.
void allreduce_in_blocks(Container& container, MPI_Comm comm, inter::Way way, const Vector& vector,
                         const Reduction& reduction);

// Of long vectors, which are combined as their owners arrive (node/running_result.h); also on one
// node. Results are the same bits on every rank.
void allreduce_by_arrival(Container& container, MPI_Comm comm, const Vector& vector,
                          const Reduction& reduction);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_ALLREDUCE_BETWEEN_H_
