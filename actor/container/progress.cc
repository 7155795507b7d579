#include "actor/container/progress.h"

#include <mpi.h>

#include <utility>

#include "actor/container/launcher.h"

namespace mpiactor {
namespace {

// Never ends by itself: asking for it lets the MPI library work.
MPI_Request endless;
bool has_endless = false;

// In a thread that alone calls MPI: the network can be asked without the MPI library.
thread_local bool asks_network_itself = false;
// network_events when the MPI library last began to work for look_at_network(): it has handled what
// these have brought.
thread_local std::uint64_t handled_events = 0;

}  // namespace

void begin_progress(bool is_only_thread) {
  const auto query = [](void*, MPI_Status*) { return MPI_SUCCESS; };
  const auto free = [](void*) { return MPI_SUCCESS; };
  const auto cancel = [](void*, int) { return MPI_SUCCESS; };
  PMPI_Grequest_start(query, free, cancel, nullptr, &endless);
  has_endless = true;
  finds_network_worker = true;
  let_mpi_progress();
  finds_network_worker = false;
  asks_network_itself = network_worker && is_only_thread;
}

void end_progress() {
  if (std::exchange(has_endless, false)) {
    PMPI_Grequest_complete(endless);
    PMPI_Wait(&endless, MPI_STATUS_IGNORE);
  }
  network_worker = nullptr;
}

void let_mpi_progress() {
  // A request's state can be asked for by several threads at a time, and changes nothing. (A probe
  // would do nothing where it finds a message at once.)
  const std::uint64_t before = network_events;
  int flag = 0;
  PMPI_Request_get_status(endless, &flag, MPI_STATUS_IGNORE);
  if (network_events == before) look_for_launcher();
}

namespace {

void look() {
  if (asks_network_itself) {
    poll_network(network_worker.load(std::memory_order_relaxed));
    if (network_events == handled_events) return;
  }
  // Where nothing is heard of what the first look brings it may be anything.
  if (!network_worker) let_mpi_progress();
  constexpr int kMostLooks = 1000;  // others may send without end
  for (int looks = 0; looks < kMostLooks; ++looks) {
    handled_events = network_events;
    let_mpi_progress();
    if (network_events == handled_events) return;
  }
}

}  // namespace

void look_at_network() {
  if (!may_have_to_look()) return;
  looking_threads.fetch_add(1, std::memory_order_relaxed);
  look_is_due.store(false, std::memory_order_release);
  look();
  looking_threads.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace mpiactor
