// The persistent forms of the collectives that nonblocking.cc has, and their forms for large
// counts.
//
// The request is a persistent message to oneself (self_request.h), which MPI_Start starts.
#include <atomic>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "actor/background/background.h"
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
  // In the trace; its starts need not be in order with other calls on the communicator.
  std::unique_ptr<trace::CommIdentity> identity;
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
// Ranks may start their requests in any order among other collectives on the communicator: each
// request has a container of its own. Making a request may wait for the others.
template <typename IsRefused, typename Prepare, typename PassOn>
int persistent(MPI_Comm comm, MPI_Request* request, IsRefused refused, Prepare prepare,
               PassOn pass_on) {
  const CommState* const state = request && world()->background ? handled_state(comm) : nullptr;
  if (!state || refused(*state)) return pass(pass_on);
  const CommState own{
      .size = state->size, .rank = state->rank, .container = make_own_container(comm)};
  if (!own.container) return pass(pass_on);
  std::optional<BackgroundCall> call = prepare(own);
  if (!call) {  // it may be for want of memory
    own.container->prepare_blocking_call(comm);
    call = prepare(own);
  }
  if (!call) return pass(pass_on);
  std::unique_ptr<trace::CommIdentity> identity;
  if (trace::is_recording()) identity = trace::make_identity(comm);
  call->identity = identity.get();
  const background::HeldCalls held;
  SelfRequest self(comm);
  const int error = self.make_persistent(request);
  if (error != MPI_SUCCESS) return error;
  all_calls().emplace(*request,
                      PersistentCall{std::move(*call), std::move(self), std::move(identity)});
  return MPI_SUCCESS;
}

// make(state, kept): the arguments as a BlockCall.
template <typename Make, typename PassOn>
int persistent_blocks(const char* name, MPI_Comm comm, MPI_Request* request, Make make,
                      PassOn pass_on) {
  return persistent(
      comm, request, [&](const CommState& of) { return !make(of, nullptr); },
      [&](const CommState& of) {
        return prepare_blocks(name, of, [&](KeptTypes* kept) { return make(of, kept); });
      },
      pass_on);
}

// shares(state): as shares_of() gives them.
template <typename Shares, typename PassOn>
int persistent_reduce_scatter(const char* name, const void* send, void* recv, MPI_Datatype type,
                              MPI_Op op, MPI_Comm comm, MPI_Request* request, Shares shares,
                              ReduceScatterFacts facts, PassOn pass_on) {
  return persistent(
      comm, request,
      [&](const CommState& of) {
        const std::vector<std::uint64_t> first = shares(of);
        if (first.empty() || !Reduction::find(op, type)) return true;
        const auto me = static_cast<std::size_t>(of.rank);
        return is_vector_refused(send, static_cast<MPI_Count>(first.back()), recv,
                                 static_cast<MPI_Count>(first[me + 1] - first[me]), type);
      },
      [&](const CommState& of) {
        return prepare_reduce_scatter(name, send, recv, shares(of), type, op, of, facts);
      },
      pass_on);
}

int barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return persistent(
      comm, request, [](const CommState&) { return false; },
      [&](const CommState& of) { return prepare_barrier(of); },
      [&] { return PMPI_Barrier_init(comm, info, request); });
}

template <typename Count>
int bcast_init(void* buffer, Count count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info,
               MPI_Request* request) {
  return persistent(
      comm, request,
      [&](const CommState& of) {
        return !is_rank(root, of) || (count != 0 && is_refused(buffer, count, type));
      },
      [&](const CommState& of) { return prepare_bcast(buffer, count, type, root, of); },
      MPIACTOR_LIBRARY(Count, Bcast_init, buffer, count, type, root, comm, info, request));
}

template <typename Count>
int allreduce_init(const void* send, void* recv, Count count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return persistent(
      comm, request,
      [&](const CommState&) {
        return !Reduction::find(op, type) || is_vector_refused(send, count, recv, count, type);
      },
      [&](const CommState& of) { return prepare_allreduce(send, recv, count, type, op, of); },
      MPIACTOR_LIBRARY(Count, Allreduce_init, send, recv, count, type, op, comm, info, request));
}

template <typename Count>
int reduce_init(const void* send, void* recv, Count count, MPI_Datatype type, MPI_Op op, int root,
                MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return persistent(
      comm, request,
      [&](const CommState& of) {
        const bool is_root = of.rank == root;
        return !is_rank(root, of) || !Reduction::find(op, type) ||
               (!is_root && is_in_place(send, count, is_root)) ||
               is_vector_refused(send, count, is_root ? recv : nullptr, is_root ? count : 0, type);
      },
      [&](const CommState& of) { return prepare_reduce(send, recv, count, type, op, root, of); },
      MPIACTOR_LIBRARY(Count, Reduce_init, send, recv, count, type, op, root, comm, info, request));
}

template <typename Count>
int reduce_scatter_init(const void* send, void* recv, const Count* counts, MPI_Datatype type,
                        MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return persistent_reduce_scatter(
      "MPI_Ireduce_scatter", send, recv, type, op, comm, request,
      [&](const CommState& of) { return shares_of(counts, of.size); }, &CallFacts::reduce_scatter,
      MPIACTOR_LIBRARY(Count, Reduce_scatter_init, send, recv, counts, type, op, comm, info,
                       request));
}

template <typename Count>
int reduce_scatter_block_init(const void* send, void* recv, Count count, MPI_Datatype type,
                              MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return persistent_reduce_scatter(
      "MPI_Ireduce_scatter_block", send, recv, type, op, comm, request,
      [&](const CommState& of) { return equal_shares(count, of.size); },
      &CallFacts::reduce_scatter_block,
      MPIACTOR_LIBRARY(Count, Reduce_scatter_block_init, send, recv, count, type, op, comm, info,
                       request));
}

template <typename Count>
int allgather_init(const void* send, Count send_count, MPI_Datatype send_type, void* recv,
                   Count recv_count, MPI_Datatype recv_type, MPI_Comm comm, MPI_Info info,
                   MPI_Request* request) {
  return persistent_blocks(
      "MPI_Iallgather", comm, request,
      [&](const CommState& of, KeptTypes* kept) {
        return BlockCall::allgather({send, send_count, send_type}, {recv, recv_count, recv_type},
                                    of, kept);
      },
      MPIACTOR_LIBRARY(Count, Allgather_init, send, send_count, send_type, recv, recv_count,
                       recv_type, comm, info, request));
}

template <typename Count>
int allgatherv_init(const void* send, Count send_count, MPI_Datatype send_type, void* recv,
                    const Count* counts, const Displacement<Count>* displacements,
                    MPI_Datatype recv_type, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return persistent_blocks(
      "MPI_Iallgatherv", comm, request,
      [&](const CommState& of, KeptTypes* kept) {
        return BlockCall::allgatherv({send, send_count, send_type}, {recv, 0, recv_type},
                                     CountArray(counts), CountArray(displacements), of, kept);
      },
      MPIACTOR_LIBRARY(Count, Allgatherv_init, send, send_count, send_type, recv, counts,
                       displacements, recv_type, comm, info, request));
}

template <typename Count>
int alltoall_init(const void* send, Count send_count, MPI_Datatype send_type, void* recv,
                  Count recv_count, MPI_Datatype recv_type, MPI_Comm comm, MPI_Info info,
                  MPI_Request* request) {
  return persistent_blocks(
      "MPI_Ialltoall", comm, request,
      [&](const CommState& of, KeptTypes* kept) {
        return BlockCall::alltoall({send, send_count, send_type}, {recv, recv_count, recv_type}, of,
                                   kept);
      },
      MPIACTOR_LIBRARY(Count, Alltoall_init, send, send_count, send_type, recv, recv_count,
                       recv_type, comm, info, request));
}

template <typename Count>
int gather_init(const void* send, Count send_count, MPI_Datatype send_type, void* recv,
                Count recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm, MPI_Info info,
                MPI_Request* request) {
  return persistent_blocks(
      "MPI_Igather", comm, request,
      [&](const CommState& of, KeptTypes* kept) {
        return BlockCall::gather({send, send_count, send_type}, {recv, recv_count, recv_type}, root,
                                 of, kept);
      },
      MPIACTOR_LIBRARY(Count, Gather_init, send, send_count, send_type, recv, recv_count, recv_type,
                       root, comm, info, request));
}

template <typename Count>
int scatter_init(const void* send, Count send_count, MPI_Datatype send_type, void* recv,
                 Count recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm, MPI_Info info,
                 MPI_Request* request) {
  return persistent_blocks(
      "MPI_Iscatter", comm, request,
      [&](const CommState& of, KeptTypes* kept) {
        return BlockCall::scatter({send, send_count, send_type}, {recv, recv_count, recv_type},
                                  root, of, kept);
      },
      MPIACTOR_LIBRARY(Count, Scatter_init, send, send_count, send_type, recv, recv_count,
                       recv_type, root, comm, info, request));
}

}  // namespace

void on_started(const MPI_Request* requests, int count) {
  Calls* const all = calls;
  if (!all) return;
  for (int i = 0; i < count; ++i) {
    const auto found = all->find(requests[i]);
    if (found == all->end()) continue;
    PersistentCall* const started = &found->second;  // stays in its place
    start(started->call, [started](int error) { started->request.complete(error); });
  }
}

void on_freed(const MPI_Request* request) {
  Calls* const all = calls;
  if (!all || !request) return;
  const auto found = all->find(*request);
  if (found == all->end()) return;
  found->second.call.container->finish_background();
  const background::HeldCalls held;
  all->erase(found);
}

void finalise_persistent() {
  Calls* const all = calls.exchange(nullptr);
  if (!all) return;
  for (const auto& entry : *all) entry.second.call.container->finish_background();
  const background::HeldCalls held;
  delete all;
}

}  // namespace mpiactor::interpose

MPIACTOR_ENTRIES(MPI_Bcast_init, bcast_init);
MPIACTOR_ENTRIES(MPI_Allreduce_init, allreduce_init);
MPIACTOR_ENTRY(MPI_Barrier_init, barrier_init);
MPIACTOR_ENTRIES(MPI_Reduce_init, reduce_init);
MPIACTOR_ENTRIES(MPI_Reduce_scatter_init, reduce_scatter_init);
MPIACTOR_ENTRIES(MPI_Reduce_scatter_block_init, reduce_scatter_block_init);
MPIACTOR_ENTRIES(MPI_Allgather_init, allgather_init);
MPIACTOR_ENTRIES(MPI_Allgatherv_init, allgatherv_init);
MPIACTOR_ENTRIES(MPI_Alltoall_init, alltoall_init);
MPIACTOR_ENTRIES(MPI_Gather_init, gather_init);
MPIACTOR_ENTRIES(MPI_Scatter_init, scatter_init);
MPIACTOR_ENTRY(MPI_Startall, on_started);
MPIACTOR_ENTRY(MPI_Request_free, on_freed);
