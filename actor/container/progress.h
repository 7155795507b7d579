// Letting the MPI library work, and whether it is doing something for this thread.
//
// Over UCX every turn of the MPI library's progress loop says how many events it handled; the
// runtime listens in (interpose/hearing_mpich.cc). Elsewhere nothing is ever heard, and waits fall
// back to short sleeps. Nonblocking collectives go to the MPI library where it does not go on with
// them: whoever waits in it would not, either.
#ifndef MPIACTOR_ACTOR_CONTAINER_PROGRESS_H_
#define MPIACTOR_ACTOR_CONTAINER_PROGRESS_H_

#include <atomic>
#include <cstdint>

#include "actor/container/look_due.h"
#include "actor/container/world.h"
#include "actor/shm/wait.h"

namespace mpiactor {

// What the MPI library has of the network layer (a UCX worker), found in MPI_Init; nullptr where it
// has none. A program may use the network layer for itself, in threads that do not call MPI: what
// such a worker does is none of the runtime's business.
inline std::atomic<void*> network_worker{nullptr};
// The function that lets it work.
inline unsigned (*poll_network)(void* worker) = nullptr;

// Whether this thread is in a call that finds it.
inline thread_local bool finds_network_worker __attribute__((tls_model("initial-exec"))) = false;

// Events that the network layer has handled in this thread so far.
inline thread_local std::uint64_t network_events __attribute__((tls_model("initial-exec"))) = 0;

// Calls of the network layer's progress function that this thread is in: it may call itself.
inline thread_local int network_depth __attribute__((tls_model("initial-exec"))) = 0;

// Whether the MPI library goes on with background calls by itself, without a worker.
inline bool library_calls_back = false;

// Lets the MPI library work once: messages, active messages, nonblocking collectives.
void let_mpi_progress();

// Before a function of the MPI library that looks first and lets the network work afterwards
// (MPI_Iprobe, MPI_Win_test): what others began before they came to a collective that this rank has
// left is there when it looks, as it would be had the collective been made of messages alone.
// Without this its first look would miss it. Between machines a message may still be on its way.
void look_at_network();

// All waits for what must be polled: calls work(), which returns whether anything came forward,
// until done().
template <typename Done, typename Work>
void work_until(Done done, Work work) {
  shm::work_until(world()->wait, done, work);
}

// In MPI_Init, before background calls; finds the MPI library's worker. `is_only_thread`: no other
// one calls MPI.
void begin_progress(bool is_only_thread);
void end_progress();

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_PROGRESS_H_
