// Lets MPI_Finalize end where UCX speaks tcp between hosts.
#include <sched.h>
#include <time.h>

#include <atomic>
#include <cstdint>

#include "actor/polite/polite.h"

namespace mpiactor::polite {
namespace {

using DisconnectFunction = void* (*)(void* endpoint);

// At least this long, for peers to get what this rank still owes them, ...
constexpr std::int64_t kLeastProgressUs = 50'000;
// ... and until nothing has moved for this long, ...
constexpr std::int64_t kQuietUs = 20'000;
// ... but no longer than this: peers that keep sending do not keep this rank.
constexpr std::int64_t kMostProgressUs = 2'000'000;

constinit std::atomic<DisconnectFunction> next_disconnect{nullptr};
constinit std::atomic<bool> progressed{false};

/// Not std::chrono, which would draw in the C++ library.
std::int64_t now_us() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1'000;
}

void progress_until_quiet(void* worker) {
  const std::int64_t start_us = now_us();
  std::int64_t last_event_us = start_us;
  for (std::int64_t at_us = start_us; at_us - start_us < kMostProgressUs; at_us = now_us()) {
    const bool quiet = at_us - last_event_us >= kQuietUs;
    if (quiet && at_us - start_us >= kLeastProgressUs) return;
    if (real_worker_progress(worker) != 0) {
      last_event_us = at_us;
    } else {
      sched_yield();
    }
  }
}

}  // namespace
}  // namespace mpiactor::polite

/// Stands in front of UCX's function of this name, which MPICH calls in MPI_Finalize to flush a
/// connection before it closes it. Over tcp a flush needs the peer's answer, but a peer that is
/// through with its own flushes waits in the process manager's barrier and answers nobody: the job
/// hangs. With MPIACTOR_POLITE_FINALIZE=skip the rank instead makes progress for a moment, so that
/// everything sent has left, and answers "done" (null); the connections are closed with the worker,
/// after the barrier.
extern "C" __attribute__((visibility("default"))) void* ucp_disconnect_nb(void* endpoint) {
  using namespace mpiactor::polite;
  void* worker = last_worker();
  if (!settings().skip_flush || worker == nullptr) {
    return next_function(next_disconnect, "ucp_disconnect_nb", "libucp.so.0")(endpoint);
  }
  if (!progressed.exchange(true)) progress_until_quiet(worker);
  counters().skipped_flushes.fetch_add(1, std::memory_order_relaxed);
  return nullptr;
}
