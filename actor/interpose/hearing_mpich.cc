// Listens to UCX's progress function, which the MPI library calls while it waits and tests: to see
// whether anything happens, and to go on with background calls.
#include <mpi.h>

#include "actor/background/background.h"
#include "actor/container/launcher.h"
#include "actor/container/progress.h"
#include "actor/interpose/hearing.h"
#include "actor/polite/next_definition.h"

extern "C" __attribute__((visibility("default"))) unsigned ucp_worker_progress(void* worker);

namespace mpiactor {
namespace {

// MPICH does not count a message to oneself as progress: who waits, and is in its progress loop at
// this moment, would not look at the request again. A generalised request counts.
void count_as_progress() {
  MPI_Request nothing;
  const auto done = [](void*, MPI_Status*) { return MPI_SUCCESS; };
  const auto free = [](void*) { return MPI_SUCCESS; };
  const auto cancel = [](void*, int) { return MPI_SUCCESS; };
  PMPI_Grequest_start(done, free, cancel, nullptr, &nothing);
  PMPI_Grequest_complete(nothing);
  PMPI_Wait(&nothing, MPI_STATUS_IGNORE);
}

using Progress = unsigned(void* worker);

Progress* next_progress() {
  return reinterpret_cast<Progress*>(polite::next_definition("ucp_worker_progress", "libucp.so.0"));
}

// The function that the code at `caller` meant: modules may bring a UCX of their own, under another
// file name.
Progress* find_progress(void* caller) {
  auto* const found =
      reinterpret_cast<Progress*>(polite::definition_for(caller, "ucp_worker_progress"));
  return found && found != ucp_worker_progress ? found : next_progress();
}

// Of a worker that is not the MPI library's. A thread mostly has one.
Progress* progress_of(void* worker, void* caller) {
  struct Found {
    void* worker = nullptr;
    Progress* progress = nullptr;
  };
  static thread_local Found last;
  if (last.worker != worker) last = {worker, find_progress(caller)};
  return last.progress;
}

}  // namespace

// The worker is found by initialise_world().
void begin_hearing_progress() {}
void end_hearing_progress() {}

}  // namespace mpiactor

extern "C" unsigned ucp_worker_progress(void* worker) {
  if (mpiactor::finds_network_worker && !mpiactor::network_worker) {
    mpiactor::network_worker = worker;
    mpiactor::poll_network = ucp_worker_progress;
  }
  if (worker != mpiactor::network_worker.load(std::memory_order_relaxed)) {
    return mpiactor::progress_of(worker, __builtin_return_address(0))(worker);
  }
  static mpiactor::Progress* const library = mpiactor::next_progress();
  ++mpiactor::network_depth;
  const unsigned events = library(worker);
  --mpiactor::network_depth;
  if (events == 0) mpiactor::watch_launcher();
  mpiactor::network_events += events;
  // Not inside UCX: a background call sends and receives.
  if (mpiactor::network_depth == 0 && mpiactor::background::unfinished() != 0) {
    if (mpiactor::background::progress()) {
      mpiactor::count_as_progress();
      ++mpiactor::network_events;  // others wait for the next one
    }
  }
  return events;
}
