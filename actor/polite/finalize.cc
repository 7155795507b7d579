// Lets MPI_Finalize end where UCX speaks tcp between hosts.
//
// MPICH flushes every connection in MPI_Finalize and then waits in the process manager's barrier.
// Over tcp a flush needs the peer's answer, but a peer that is through with its own flushes sits in
// that barrier, makes no progress and answers nobody: the job hangs. With
// MPIACTOR_POLITE_FINALIZE=skip the flush is answered with "done", and a thread makes progress in
// place of the waiting rank until the worker is destroyed, which is after the barrier. Nobody
// passes that barrier before every rank has received what it asked for, so nothing is lost.
//
// A program may have workers and endpoints of its own, and closes them at any time. Those are left
// alone: only calls out of the MPI library are answered so.
#include <dlfcn.h>
#include <pthread.h>
#include <time.h>

#include <atomic>

#include "actor/polite/polite.h"
#include "actor/shm/kernel.h"

namespace mpiactor::polite {
namespace {

using DisconnectFunction = void* (*)(void* endpoint);
using DestroyFunction = void (*)(void* worker);

constexpr long kIdleNs = 100'000;

constinit std::atomic<DisconnectFunction> next_disconnect{nullptr};
constinit std::atomic<DestroyFunction> next_destroy{nullptr};

// A worker may be used by one thread at a time. While the helper runs, the rank itself only polls
// (under this lock) and destroys the worker (after the helper has ended): the flush is the last
// that MPICH asks of it.
constinit pthread_mutex_t worker_mutex = PTHREAD_MUTEX_INITIALIZER;
constinit std::atomic<bool> helper_runs{false};
constinit pthread_t helper{};
constinit std::atomic<void*> helped_worker{nullptr};

unsigned locked_progress(void* worker) {
  pthread_mutex_lock(&worker_mutex);
  const unsigned events = real_worker_progress(worker);
  pthread_mutex_unlock(&worker_mutex);
  return events;
}

void* make_progress(void* worker) {
  while (helper_runs.load(std::memory_order_acquire)) {
    if (locked_progress(worker) != 0) continue;
    const timespec idle{.tv_sec = 0, .tv_nsec = kIdleNs};
    kernel::nanosleep(idle);
  }
  return nullptr;
}

/// Answers whether the helper runs. Called by the one thread that is in MPI_Finalize.
bool start_helper(void* worker) {
  if (helper_runs.load(std::memory_order_relaxed)) return true;
  helped_worker.store(worker, std::memory_order_relaxed);
  helper_runs.store(true, std::memory_order_release);
  if (pthread_create(&helper, nullptr, make_progress, worker) == 0) return true;
  helper_runs.store(false, std::memory_order_release);
  return false;
}

// Also when the process ends without destroying its worker.
__attribute__((destructor)) void stop_helper() {
  if (!helper_runs.exchange(false, std::memory_order_acq_rel)) return;
  pthread_join(helper, nullptr);
}

/// Whether the MPI library has the code that returns to `address`.
bool is_in_mpi_library(void* address) {
  Dl_info caller, mpi;
  void* const init = definition_for(address, "PMPI_Init");
  return init != nullptr && dladdr(address, &caller) != 0 && dladdr(init, &mpi) != 0 &&
         mpi.dli_fbase == caller.dli_fbase;
}

}  // namespace

unsigned shared_worker_progress(void* worker) {
  return helper_runs.load(std::memory_order_acquire) &&
                 helped_worker.load(std::memory_order_relaxed) == worker
             ? locked_progress(worker)
             : real_worker_progress(worker);
}

}  // namespace mpiactor::polite

/// Stands in front of UCX's function of this name, which MPICH calls in MPI_Finalize alone, to
/// flush a connection before it closes it. Null stands for "done".
extern "C" __attribute__((visibility("default"))) void* ucp_disconnect_nb(void* endpoint) {
  using namespace mpiactor::polite;
  void* worker = last_worker();
  if (!settings().skip_flush || worker == nullptr ||
      !is_in_mpi_library(__builtin_return_address(0)) || !start_helper(worker)) {
    return next_function(next_disconnect, "ucp_disconnect_nb", "libucp.so.0")(endpoint);
  }
  counters().skipped_flushes.fetch_add(1, std::memory_order_relaxed);
  return nullptr;
}

/// Stands in front of UCX's function of this name: the same, after the helper's end.
extern "C" __attribute__((visibility("default"))) void ucp_worker_destroy(void* worker) {
  using namespace mpiactor::polite;
  if (helped_worker.load(std::memory_order_relaxed) == worker) stop_helper();
  forget_worker(worker);
  next_function(next_destroy, "ucp_worker_destroy", "libucp.so.0")(worker);
}
