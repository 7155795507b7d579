// Tables about all ranks of the job, once for all ranks of a machine.
#ifndef MPIACTOR_ACTOR_CONTAINER_MACHINE_TABLES_H_
#define MPIACTOR_ACTOR_CONTAINER_MACHINE_TABLES_H_

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <string>

#include "actor/shm/segment.h"

namespace mpiactor {

// Collective over `machine_comm`, whose ranks share a machine and have the same tables of `ints`
// numbers, each its own copy. `move(memory, writes)` moves a rank's copy to shared memory, see
// inter::IntTable; it is not called on ranks that cannot have any, which keep their copies and get
// `why`. Nobody needs to know who does: the numbers are the same. The segment must outlive the
// tables.
shm::Segment share_tables(MPI_Comm machine_comm, std::size_t ints,
                          const std::function<void(int* memory, bool writes)>& move,
                          std::string& why);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_MACHINE_TABLES_H_
