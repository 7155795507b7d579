// Makes a polling rank give way to the others that share its core.
#include <sched.h>

#include <atomic>

#include "actor/polite/polite.h"

namespace mpiactor::polite {
namespace {

using ProgressFunction = unsigned (*)(void* worker);

constinit std::atomic<ProgressFunction> next_progress{nullptr};
// initial-exec: the preload is there from the start, and these are read at every poll.
__attribute__((tls_model("initial-exec"))) constinit thread_local int empty_polls = 0;
__attribute__((tls_model("initial-exec"))) constinit thread_local void* polled_worker = nullptr;

}  // namespace

unsigned real_worker_progress(void* worker) {
  return next_function(next_progress, "ucp_worker_progress", "libucp.so.0")(worker);
}

void* last_worker() { return polled_worker; }

void forget_worker(void* worker) {
  if (polled_worker == worker) polled_worker = nullptr;
}

}  // namespace mpiactor::polite

/// Stands in front of UCX's function of this name: the same, but after a few calls in a row that
/// found nothing the thread gives way. It never sleeps: the message may come at any moment, and
/// where no other process wants the core the yield returns at once.
extern "C" __attribute__((visibility("default"))) unsigned ucp_worker_progress(void* worker) {
  using namespace mpiactor::polite;
  polled_worker = worker;
  const unsigned events = shared_worker_progress(worker);
  const int polls_before_yield = settings().polls_before_yield;
  if (events != 0 || polls_before_yield == 0) {
    empty_polls = 0;
  } else if (++empty_polls >= polls_before_yield) {
    empty_polls = 0;
    counters().yields.fetch_add(1, std::memory_order_relaxed);
    sched_yield();
  }
  return events;
}
