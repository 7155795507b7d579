// Whether a rank has to look at the network (progress.h). Without MPI's types.
#ifndef MPIACTOR_ACTOR_CONTAINER_LOOK_DUE_H_
#define MPIACTOR_ACTOR_CONTAINER_LOOK_DUE_H_

#include <atomic>

namespace mpiactor {

// A rank has left a collective, and not looked at the network since.
inline std::atomic<bool> look_is_due{false};

// Threads that are looking. What one of them has not seen yet is still due for the others.
inline std::atomic<int> looking_threads{0};

inline bool may_have_to_look() {
  return look_is_due.load(std::memory_order_acquire) ||
         looking_threads.load(std::memory_order_relaxed) != 0;
}

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_LOOK_DUE_H_
