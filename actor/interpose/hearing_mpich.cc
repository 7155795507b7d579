// Listens to UCX's progress function, which the MPI library calls while it waits and tests: to see
// whether anything happens, and to go on with background calls.
#include <mpi.h>

#include "actor/background/background.h"
#include "actor/container/launcher.h"
#include "actor/container/progress.h"
#include "actor/interpose/hearing.h"
#include "actor/polite/next_definition.h"

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

}  // namespace

// The worker is found by initialise_world().
void begin_hearing_progress() {}
void end_hearing_progress() {}

}  // namespace mpiactor

extern "C" __attribute__((visibility("default"))) unsigned ucp_worker_progress(void* worker) {
  using Progress = unsigned(void*);
  static Progress* const library = reinterpret_cast<Progress*>(
      mpiactor::polite::next_definition("ucp_worker_progress", "libucp.so.0"));
  if (mpiactor::finds_network_worker && !mpiactor::network_worker) {
    mpiactor::network_worker = worker;
    mpiactor::poll_network = ucp_worker_progress;
  }
  if (worker != mpiactor::network_worker.load(std::memory_order_relaxed)) return library(worker);
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
