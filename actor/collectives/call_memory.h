// What memory in common a call of blocks takes: known beforehand, since a nonblocking call can
// neither wait for more of it nor be given to the MPI library once it has begun.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_CALL_MEMORY_H_
#define MPIACTOR_ACTOR_COLLECTIVES_CALL_MEMORY_H_

#include <mpi.h>

#include <cstdint>

#include "actor/collectives/call_facts.h"
#include "actor/container/container.h"
#include "actor/shm/cache_line.h"

namespace mpiactor {

struct CallMemory {
  std::uint64_t least = 0;   // for one request, in bytes; with less the call is not done
  std::uint64_t wanted = 0;  // more is of no use
  std::uint64_t parts = 1;   // of it, see Container::work_bytes()
};

// Of an allgather(v), alltoall, gather or scatter.
CallMemory memory_of(const CallFacts& call, const Container& container);

// What parts of every rank's share, each an element longer at most, and whole cache lines add to
// each vector of a reduce_scatter of which nodes combine shares.
constexpr std::uint64_t shares_rounding(std::uint64_t nodes, std::uint64_t most_members,
                                        std::uint64_t element_bytes) {
  return nodes * (most_members * element_bytes + shm::kCacheLine) + shm::kCacheLine;
}

// So much of it as there is for a request, for all parts of the call; 0 where that is less than the
// least. Collective like the call over `comm`, the container's communicator.
std::uint64_t room_for(Container& container, MPI_Comm comm, const CallMemory& memory);

// Whether it is done by way of the members' own memory (Container::send_buffers()), or not at all.
bool needs_send_buffers(const CallFacts& call, const Container& container);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_CALL_MEMORY_H_
