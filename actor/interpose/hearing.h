// Background calls go on in every turn of the MPI library's progress loop, which runs while a rank
// waits or tests.
#ifndef MPIACTOR_ACTOR_INTERPOSE_HEARING_H_
#define MPIACTOR_ACTOR_INTERPOSE_HEARING_H_

namespace mpiactor {

// Before initialise_world() and after all background calls.
void begin_hearing_progress();
void end_hearing_progress();

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_INTERPOSE_HEARING_H_
