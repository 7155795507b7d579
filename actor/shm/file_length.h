// The limit on the length of files (ulimit -f). Knows nothing of MPI.
#ifndef MPIACTOR_ACTOR_SHM_FILE_LENGTH_H_
#define MPIACTOR_ACTOR_SHM_FILE_LENGTH_H_

#include <sys/resource.h>

#include <cstddef>

#include "actor/shm/kernel.h"

namespace mpiactor::shm {

// Beyond the limit the kernel sends a signal that ends the process: who makes a file longer asks.
inline bool may_be_as_long_as(std::size_t bytes) {
  rlimit limit;
  return kernel::getrlimit(RLIMIT_FSIZE, limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
         bytes <= limit.rlim_cur;
}

}  // namespace mpiactor::shm

#endif  // MPIACTOR_ACTOR_SHM_FILE_LENGTH_H_
