// Refuses work that no memory can hold, before it starts.
#ifndef MPIACTOR_APPS_COMMON_MACHINE_MEMORY_H_
#define MPIACTOR_APPS_COMMON_MACHINE_MEMORY_H_

#include <mpi.h>

#include <string>

namespace mpiactor::apps {

// Collective. Throws std::runtime_error on this rank where the `bytes` of all ranks of its machine
// exceed the machine's memory; "`what` take N MiB on this machine, which has M MiB; `advice`".
// `bytes` is a real number, since no size is too large to ask about.
void check_machine_memory(double bytes, const std::string& what, const std::string& advice,
                          MPI_Comm comm);

}  // namespace mpiactor::apps

#endif  // MPIACTOR_APPS_COMMON_MACHINE_MEMORY_H_
