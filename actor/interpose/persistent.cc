// MPI_Bcast_init, MPI_Allreduce_init, and their forms for large counts.
//
// Generalised requests cannot be started again. So the request is a persistent receive of nothing
// from oneself: the MPI library starts it, waits for it, tests and frees it as any other. When the
// collective has ended, an empty message to oneself completes it; a message of one byte makes it an
// error.
#include <atomic>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "actor/interpose/background_call.h"
#include "actor/interpose/entry.h"
#include "actor/interpose/interpose.h"
#include "actor/interpose/take_over.h"

namespace mpiactor::interpose {
namespace {

struct PersistentCall {
  BackgroundCall call;
  int tag = 0;
};

struct State {
  std::unordered_map<MPI_Request, PersistentCall> calls;
  MPI_Comm self = MPI_COMM_NULL;  // carries the messages
  std::vector<int> free_tags;
  int tags = 0;  // used and free ones
};

// nullptr while there is none: requests are started often, and few of them are collectives.
std::atomic<State*> state{nullptr};

State& make_state() {
  if (!state) {
    auto fresh = std::make_unique<State>();
    PMPI_Comm_split(MPI_COMM_SELF, 0, 0, &fresh->self);
    state = fresh.release();
  }
  return *state;
}

int take_tag(State& all) {
  if (all.free_tags.empty()) return all.tags++;
  const int tag = all.free_tags.back();
  all.free_tags.pop_back();
  return tag;
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

void complete(int tag, int error) {
  const std::byte byte{};
  PMPI_Send(&byte, error == MPI_SUCCESS ? 0 : 1, MPI_BYTE, 0, tag, state.load()->self);
  count_as_progress();
}

// Making a persistent request may wait for the others, so it may also make the container.
const CommState* persistent_state(MPI_Comm comm, const MPI_Request* request) {
  if (!request || !world()->background) return nullptr;
  CommState* const comm_state = handled_state(comm);
  return comm_state && make_container(comm, *comm_state) ? comm_state : nullptr;
}

template <typename Prepare, typename PassOn>
int persistent(MPI_Comm comm, MPI_Request* request, Prepare prepare, PassOn pass_on) {
  const CommState* const comm_state = persistent_state(comm, request);
  std::optional<BackgroundCall> call = comm_state ? prepare(*comm_state) : std::nullopt;
  if (comm_state && !call) {  // it may be for want of memory
    comm_state->container->prepare_blocking_call(comm);
    call = prepare(*comm_state);
  }
  if (!call) return pass(pass_on);
  State& all = make_state();
  const int tag = take_tag(all);
  const int error = PMPI_Recv_init(nullptr, 0, MPI_BYTE, 0, tag, all.self, request);
  if (error == MPI_SUCCESS) all.calls[*request] = {std::move(*call), tag};
  return error;
}

template <typename Count>
int bcast_init(void* buffer, Count count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info,
               MPI_Request* request) {
  return persistent(
      comm, request,
      [&](const CommState& of) { return prepare_bcast(buffer, count, type, root, comm, of); },
      MPIACTOR_LIBRARY(Count, Bcast_init, buffer, count, type, root, comm, info, request));
}

template <typename Count>
int allreduce_init(const void* send, void* recv, Count count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return persistent(
      comm, request,
      [&](const CommState& of) { return prepare_allreduce(send, recv, count, type, op, comm, of); },
      MPIACTOR_LIBRARY(Count, Allreduce_init, send, recv, count, type, op, comm, info, request));
}

}  // namespace

void on_started(const MPI_Request* requests, int count) {
  State* const all = state;
  if (!all) return;
  for (int i = 0; i < count; ++i) {
    const auto found = all->calls.find(requests[i]);
    if (found == all->calls.end()) continue;
    start(found->second.call, [tag = found->second.tag](int outcome) { complete(tag, outcome); });
  }
}

void on_freed(const MPI_Request* request) {
  State* const all = state;
  if (!all || !request) return;
  const auto found = all->calls.find(*request);
  if (found == all->calls.end()) return;
  all->free_tags.push_back(found->second.tag);
  all->calls.erase(found);
}

void finalise_persistent() {
  const std::unique_ptr<State> all(state.exchange(nullptr));
  if (!all) return;
  all->calls.clear();
  PMPI_Comm_free(&all->self);
}

}  // namespace mpiactor::interpose

MPIACTOR_ENTRIES(MPI_Bcast_init, bcast_init);
MPIACTOR_ENTRIES(MPI_Allreduce_init, allreduce_init);
MPIACTOR_ENTRY(MPI_Startall, on_started);
MPIACTOR_ENTRY(MPI_Request_free, on_freed);
