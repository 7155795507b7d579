// Listens to UCX's progress function, which the MPI library calls while it waits and tests: to see
// whether anything happens, and to go on with background calls.
#include <dlfcn.h>
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
constexpr const char* kName = "ucp_worker_progress";
constexpr const char* kUcx = "libucp.so.0";

Progress* next_progress() {
  return reinterpret_cast<Progress*>(polite::next_definition(kName, kUcx));
}

// The function that the code at `caller` meant: modules may bring a UCX of their own, under another
// file name. Others call the next one: what is preloaded behind the runtime stands before UCX, too.
Progress* find_progress(void* caller) {
  auto* const found = reinterpret_cast<Progress*>(polite::definition_for(caller, kName));
  if (!found || found == ucp_worker_progress) return next_progress();
  void* const usual = dlopen(kUcx, RTLD_LAZY | RTLD_NOLOAD);
  const bool is_usual = usual && dlsym(usual, kName) == reinterpret_cast<void*>(found);
  if (usual) dlclose(usual);
  return is_usual ? next_progress() : found;
}

// Of a worker that is not known to be the MPI library's.
Progress* progress_for(void* caller) {
  struct Found {
    void* caller = nullptr;
    Progress* progress = nullptr;
  };
  static thread_local Found last;
  if (last.caller != caller) last = {caller, find_progress(caller)};
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
    return mpiactor::progress_for(__builtin_return_address(0))(worker);
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
