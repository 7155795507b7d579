// Whether the process manager that started this rank is still there.
//
// Where mpiexec's proxy on a machine dies (killed for want of memory, say), nobody ends the ranks
// there, and they would wait for each other for ever. A rank that waits looks now and then at its
// connection to the process manager, and ends where that is closed: MPI cannot go on without it.
#ifndef MPIACTOR_ACTOR_CONTAINER_LAUNCHER_H_
#define MPIACTOR_ACTOR_CONTAINER_LAUNCHER_H_

#include <cstdint>

namespace mpiactor {

// From MPI_Init to MPI_Finalize. Ranks without such a connection (PMI_FD) are not watched.
void begin_watching_launcher();
void end_watching_launcher();

// At most once a second: looks, and ends this process where the launcher has gone.
void look_for_launcher();

inline thread_local std::uint32_t idle_polls __attribute__((tls_model("initial-exec"))) = 0;

// For every poll of the network that found nothing: some follow each other within a fraction of a
// microsecond, so that not even the clock is looked at each time; others are milliseconds apart.
inline void watch_launcher() {
  constexpr std::uint32_t kPollsOfALook = 16;
  if (++idle_polls % kPollsOfALook == 0) look_for_launcher();
}

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_LAUNCHER_H_
