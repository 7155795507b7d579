// MPI_Bcast_init, MPI_Allreduce_init, and their forms for large counts.
//
// The request is a persistent message to oneself (self_request.h), which MPI_Start starts.
#include <atomic>
#include <optional>
#include <unordered_map>
#include <utility>

#include "actor/interpose/background_call.h"
#include "actor/interpose/entry.h"
#include "actor/interpose/interpose.h"
#include "actor/interpose/library_check.h"
#include "actor/interpose/self_request.h"
#include "actor/interpose/take_over.h"
#include "actor/interpose/vectors.h"

namespace mpiactor::interpose {
namespace {

struct PersistentCall {
  BackgroundCall call;
  SelfRequest request;
  bool is_under_way = false;
};

using Calls = std::unordered_map<MPI_Request, PersistentCall>;

// nullptr while there is none: requests are started often, and few of them are collectives.
std::atomic<Calls*> calls{nullptr};

Calls& all_calls() {
  if (!calls) calls = new Calls;
  return *calls;
}

// refused(state): whether the MPI library refuses the arguments on this rank alone.
//
// Making a persistent request may wait for the others, so it may also make the container.
template <typename IsRefused, typename Prepare, typename PassOn>
int persistent(MPI_Comm comm, MPI_Request* request, IsRefused refused, Prepare prepare,
               PassOn pass_on) {
  CommState* const state = request && world()->background ? handled_state(comm) : nullptr;
  if (!state || refused(*state) || !make_container(comm, *state)) return pass(pass_on);
  std::optional<BackgroundCall> call = prepare(*state);
  if (!call) {  // it may be for want of memory
    state->container->prepare_blocking_call(comm);
    call = prepare(*state);
  }
  if (!call) return pass(pass_on);
  SelfRequest self(comm);
  const int error = self.make_persistent(request);
  if (error != MPI_SUCCESS) return error;
  all_calls().emplace(*request, PersistentCall{std::move(*call), std::move(self)});
  return MPI_SUCCESS;
}

template <typename Count>
int bcast_init(void* buffer, Count count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info,
               MPI_Request* request) {
  return persistent(
      comm, request,
      [&](const CommState& of) {
        return !is_rank(root, of) || (count != 0 && is_refused(buffer, count, type));
      },
      [&](const CommState& of) { return prepare_bcast(buffer, count, type, root, comm, of); },
      MPIACTOR_LIBRARY(Count, Bcast_init, buffer, count, type, root, comm, info, request));
}

template <typename Count>
int allreduce_init(const void* send, void* recv, Count count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return persistent(
      comm, request,
      [&](const CommState&) {
        // Without a reduction that lasts nobody handles the call.
        return !find_lasting_reduction(op, type) ||
               is_vector_refused(send, count, recv, count, type);
      },
      [&](const CommState& of) { return prepare_allreduce(send, recv, count, type, op, comm, of); },
      MPIACTOR_LIBRARY(Count, Allreduce_init, send, recv, count, type, op, comm, info, request));
}

}  // namespace

void on_started(const MPI_Request* requests, int count) {
  Calls* const all = calls;
  if (!all) return;
  for (int i = 0; i < count; ++i) {
    const auto found = all->find(requests[i]);
    if (found == all->end()) continue;
    PersistentCall* const started = &found->second;  // stays in its place
    started->is_under_way = true;
    start(started->call, [started](int error) {
      started->is_under_way = false;
      started->request.complete(error);
    });
  }
}

void on_freed(const MPI_Request* request) {
  Calls* const all = calls;
  if (!all || !request) return;
  const auto found = all->find(*request);
  if (found == all->end()) return;
  if (found->second.is_under_way) found->second.call.container->finish_background();
  all->erase(found);
}

void finalise_persistent() { delete calls.exchange(nullptr); }

}  // namespace mpiactor::interpose

MPIACTOR_ENTRIES(MPI_Bcast_init, bcast_init);
MPIACTOR_ENTRIES(MPI_Allreduce_init, allreduce_init);
MPIACTOR_ENTRY(MPI_Startall, on_started);
MPIACTOR_ENTRY(MPI_Request_free, on_freed);
