// When the runtime begins and ends, and whether it takes calls.
#ifndef MPIACTOR_ACTOR_INTERPOSE_LIFETIME_H_
#define MPIACTOR_ACTOR_INTERPOSE_LIFETIME_H_

#include "actor/config/settings.h"

namespace mpiactor::interpose {

// Right after the MPI library was initialised, however that was called. Once.
void begin();

// Before MPI_Session_init. Where any rank calls that before its begin(), collectives of a session
// could meet begin() at another place on each rank: all calls go to the MPI library.
void note_session();

// Whether calls are handled now: false before begin(), after MPI_Finalize has begun, on another MPI
// library, and with MPIACTOR_LEADER=off.
bool is_active();

// MPI_Comm_free and MPI_Comm_disconnect, while calls are handled. `comm`: of MPI_Comm; `library`:
// the MPI library's function.
int end_communicator(void* comm, int (*library)(void*));

// Before a function of the MPI library that looks before it lets the network work.
void before_a_look();

// Says that the MPI library does not have the function `name`; returns the error of its call.
long say_missing(const char* name);

LeaderMode leader_mode();
// Collective over all ranks that communicate.
void set_leader_mode(LeaderMode mode);

}  // namespace mpiactor::interpose

#endif  // MPIACTOR_ACTOR_INTERPOSE_LIFETIME_H_
