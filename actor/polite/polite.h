// What the parts of the polite preload share: its settings, its counters, and how it finds the
// functions that it stands in front of.
//
// The preload is loaded into the launcher, its proxies and every rank. It links neither MPI nor
// UCX: where a process never calls UCX, or never starts a session, nothing of it runs.
#ifndef MPIACTOR_ACTOR_POLITE_POLITE_H_
#define MPIACTOR_ACTOR_POLITE_POLITE_H_

#include <atomic>
#include <cstdint>

#include "actor/polite/next_definition.h"

namespace mpiactor::polite {

/// Read when the library is loaded; a wrong value ends the process with a message.
struct Settings {
  /// MPIACTOR_POLITE_POLLS, 0..1000000: empty polls in a row after which a thread gives way; with 0
  /// it never does.
  int polls_before_yield;
  /// MPIACTOR_POLITE_FINALIZE=flush|skip: whether MPI_Finalize flushes its connections.
  bool skip_flush;
  /// MPIACTOR_POLITE_STATS=0|1: print the counters when the process ends.
  bool print_stats;
};

const Settings& settings();

/// Totals of this process, all threads.
struct Counters {
  std::atomic<std::uint64_t> yields{0};
  std::atomic<std::uint64_t> skipped_flushes{0};
};

Counters& counters();

/// The same, looked up once. Threads may race here: all of them find the same address, and nothing
/// else is published with it, so relaxed order is enough.
template <typename Function>
Function next_function(std::atomic<Function>& found, const char* name, const char* soname) {
  Function function = found.load(std::memory_order_relaxed);
  if (function == nullptr) {
    function = reinterpret_cast<Function>(next_definition(name, soname));
    found.store(function, std::memory_order_relaxed);
  }
  return function;
}

/// One `ucp_worker_progress` of the real library, without giving way. Returns its event count.
unsigned real_worker_progress(void* worker);

/// The same, while a helper may be polling the worker too.
unsigned shared_worker_progress(void* worker);

/// The worker that this thread polled last, null before the first poll and where that one has been
/// destroyed.
void* last_worker();
/// It will be destroyed; by the thread that uses it.
void forget_worker(void* worker);

}  // namespace mpiactor::polite

#endif  // MPIACTOR_ACTOR_POLITE_POLITE_H_
