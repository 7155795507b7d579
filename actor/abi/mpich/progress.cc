// Listens to UCX's progress function, which the MPI library calls while it waits and tests: to see
// whether anything happens, and to go on with background calls.
#include "actor/abi/progress.h"

#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

#include "actor/background/background.h"
#include "actor/container/launcher.h"
#include "actor/container/progress.h"

namespace mpiactor {
namespace {

using Progress = unsigned(void*);

Progress* progress_of_library() {
  constexpr const char* kName = "ucp_worker_progress";
  constexpr const char* kLibrary = "libucp.so.0";
  void* found = dlsym(RTLD_NEXT, kName);
  if (!found) {
    // A module that was loaded with RTLD_LOCAL keeps it, and the MPI library, to itself.
    void* const library = dlopen(kLibrary, RTLD_LAZY | RTLD_NOLOAD);
    if (library) found = dlsym(library, kName);
  }
  if (!found) {
    std::fprintf(stderr, "mpiactor: %s was called, but %s is not loaded\n", kName, kLibrary);
    std::abort();
  }
  return reinterpret_cast<Progress*>(found);
}

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
  static mpiactor::Progress* const library = mpiactor::progress_of_library();
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
    if (mpiactor::background::progress()) mpiactor::count_as_progress();
  }
  return events;
}
