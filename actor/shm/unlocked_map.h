// Mappings of which much may never be used.
#ifndef MPIACTOR_ACTOR_SHM_UNLOCKED_MAP_H_
#define MPIACTOR_ACTOR_SHM_UNLOCKED_MAP_H_

#include <sys/mman.h>

#include <cstddef>

#include "actor/shm/kernel.h"

namespace mpiactor::shm {

// mmap() of `bytes` to read and write, with MAP_FAILED and errno as there. In a program that has
// called mlockall(MCL_FUTURE) the kernel gives memory to all of a new mapping at once, unless
// nobody can touch it yet.
inline void* map_unlocked(std::size_t bytes, int flags, int descriptor) {
  void* const memory = mmap(nullptr, bytes, PROT_NONE, flags, descriptor, 0);
  if (memory == MAP_FAILED) return memory;
  kernel::munlock(memory, bytes);
  if (mprotect(memory, bytes, PROT_READ | PROT_WRITE) == 0) return memory;
  munmap(memory, bytes);
  return MAP_FAILED;
}

}  // namespace mpiactor::shm

#endif  // MPIACTOR_ACTOR_SHM_UNLOCKED_MAP_H_
