#ifndef MPIACTOR_ACTOR_SHM_RUN_DELAY_H_
#define MPIACTOR_ACTOR_SHM_RUN_DELAY_H_

#include <chrono>

namespace mpiactor::shm {

// How long this thread could have run since `begin` but had no core. The system tells how much it
// was since it was asked last: the same share is taken to be delay at all times in between. 0 where
// the system does not say. Costs some microseconds.
std::chrono::nanoseconds run_delay_since(std::chrono::steady_clock::time_point begin);

}  // namespace mpiactor::shm

#endif  // MPIACTOR_ACTOR_SHM_RUN_DELAY_H_
