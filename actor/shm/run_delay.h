#ifndef MPIACTOR_ACTOR_SHM_RUN_DELAY_H_
#define MPIACTOR_ACTOR_SHM_RUN_DELAY_H_

#include <chrono>

namespace mpiactor::shm {

// How long this thread could have run but had no core, since it was asked last or began. 0 where
// the system does not say. Costs some microseconds.
std::chrono::nanoseconds run_delay_since_asked();

}  // namespace mpiactor::shm

#endif  // MPIACTOR_ACTOR_SHM_RUN_DELAY_H_
