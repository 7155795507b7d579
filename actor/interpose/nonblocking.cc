// MPI_Ibarrier, MPI_Ibcast, MPI_Ireduce, MPI_Iallreduce, MPI_Ireduce_scatter(_block),
// MPI_Iallgather(v), MPI_Igather, MPI_Iscatter, MPI_Ialltoall, and their forms for large counts.
//
// The request is one of the MPI library's own, so it can be waited for and tested together with any
// others, in C and Fortran, by the library's own functions: of a call that has ended before it
// returns, that of a message to nobody; else a message to oneself (self_request.h). What waits and
// tests drives the library's progress, and with it the background calls (hearing_*.cc).
#include <memory>
#include <optional>
#include <utility>

#include "actor/background/background.h"
#include "actor/collectives/bcast.h"
#include "actor/collectives/collectives.h"
#include "actor/container/progress.h"
#include "actor/interpose/background_call.h"
#include "actor/interpose/entry.h"
#include "actor/interpose/library_check.h"
#include "actor/interpose/self_request.h"
#include "actor/interpose/take_over.h"
#include "actor/interpose/vectors.h"

namespace mpiactor::interpose {
namespace {

// How a call has ended, if it has.
struct Outcome {
  bool has_ended = false;
  int error = MPI_SUCCESS;
  // Of a call that goes on when its function has returned.
  std::optional<SelfRequest> request;
};

// The state of a communicator on which calls may run in the background. Its container was made by a
// blocking call: a nonblocking one must not wait for the others to make it.
CommState* background_state(MPI_Comm comm, const MPI_Request* request) {
  if (!request || !world()->background) return nullptr;
  CommState* const state = handled_state(comm);
  return state && state->container ? state : nullptr;
}

// What a nonblocking call sees of it.
CommState for_nonblocking(const CommState& state) {
  const std::shared_ptr<Container> lane = state.lanes.next();
  return {.size = state.size, .rank = state.rank, .container = lane ? lane : state.container};
}

// The request of a call that has ended: a send that the MPI library has completed at once, or what
// brings an error.
int give_ended(MPI_Comm comm, int error, MPI_Request* request) {
  if (error == MPI_SUCCESS)
    return PMPI_Isend(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, request);
  const background::HeldCalls held;
  const SelfRequest self(comm);
  const int failure = self.make_active(request);
  if (failure == MPI_SUCCESS) self.complete(error);
  return failure;
}

// prepare(state) returns the call, if it can be handled.
template <typename Prepare, typename PassOn>
int nonblocking(MPI_Comm comm, MPI_Request* request, Prepare prepare, PassOn pass_on) {
  CommState* const state = background_state(comm, request);
  std::optional<BackgroundCall> call = state ? prepare(for_nonblocking(*state)) : std::nullopt;
  if (!call || (state->lanes.reduce_only && !call->facts.is_reduction())) return pass(pass_on);
  ++state->lanes.calls;
  if (background::unfinished(call->container.get()) != 0) state->lanes.has_queue = true;
  if (trace::is_recording()) call->identity = trace::identify(comm);
  const std::shared_ptr<Container> container = call->container;
  const background::HeldCalls held;
  auto owner = std::make_unique<Outcome>();
  Outcome* const outcome = owner.get();
  start(std::move(*call), [outcome](int error) {
    outcome->has_ended = true;
    outcome->error = error;
    if (!outcome->request) return;  // `owner` still has it
    outcome->request->complete(error);
    delete outcome;
  });
  if (outcome->has_ended) return give_ended(comm, outcome->error, request);
  SelfRequest self(comm);
  const int failure = self.make_active(request);
  if (failure != MPI_SUCCESS) {  // the others count on the call
    container->finish_background();
    return failure;
  }
  outcome->request.emplace(std::move(self));
  static_cast<void>(owner.release());  // its end has it
  return MPI_SUCCESS;
}

// Whether this rank has to wait before it begins: calls before it come first, and members that
// compare their calls wait for each other.
bool must_wait_before(Container& container) {
  return background::unfinished(&container) != 0 || world()->settings.check ||
         container.must_meet();
}

// A call for which this rank need not wait, without a stack of its own. run() returns its error.
template <typename Run>
int do_at_once(const char* name, const CallFacts& facts, MPI_Comm comm, CommState& state,
               Container& container, MPI_Request* request, Run run) {
  container.set_policy(leader_policy());
  const int error = trace::traced(
      name, comm, facts.root(), [&](const trace::Span&) { return facts.bytes(); },
      [&] {
        trace::hybrid();
        return run();
      });
  look_is_due.store(true, std::memory_order_relaxed);
  ++trace::counters().hybrid;
  ++state.lanes.calls;
  return give_ended(comm, error, request);
}

// The same of a broadcast; nothing where it must wait.
std::optional<int> bcast_at_once(void* buffer, MPI_Count count, MPI_Datatype type, int root,
                                 MPI_Comm comm, CommState& state, MPI_Request* request) {
  const CommState lane = for_nonblocking(state);
  if (!is_rank(root, lane) || is_refused(buffer, count, type)) return std::nullopt;
  Container& container = *lane.container;
  const Message message(buffer, count, type);
  const CallFacts facts = CallFacts::bcast(root, message.bytes());
  if (facts.is_empty() || !is_worth_it(facts, container, leader_policy())) return std::nullopt;
  if (must_wait_before(container) || !bcast_need_not_wait(container, message, root))
    return std::nullopt;
  return do_at_once("MPI_Ibcast", facts, comm, state, container, request,
                    [&] { return error_class(hybrid_bcast(container, message, root)); });
}

// The same of a scatter. make(state, kept): its BlockCall.
template <typename Make>
std::optional<int> scatter_at_once(MPI_Comm comm, CommState& state, MPI_Request* request,
                                   Make make) {
  const CommState lane = for_nonblocking(state);
  Container& container = *lane.container;
  if (container.nodes().nodes() > 1) return std::nullopt;
  std::optional<BlockCall> call = make(lane, nullptr);
  if (!call) return std::nullopt;
  const CallFacts facts = call->facts();
  if (!blocks_may_begin(facts, container) || must_wait_before(container) ||
      !scatter_need_not_wait(container, facts.bytes(), facts.root()))
    return std::nullopt;
  return do_at_once("MPI_Iscatter", facts, comm, state, container, request,
                    [&] { return run_begun(*call, container); });
}

int ibarrier(MPI_Comm comm, MPI_Request* request) {
  return nonblocking(
      comm, request, [&](const CommState& state) { return prepare_barrier(state); },
      [&] { return PMPI_Ibarrier(comm, request); });
}

template <typename Count>
int ibcast(void* buffer, Count count, MPI_Datatype type, int root, MPI_Comm comm,
           MPI_Request* request) {
  CommState* const state = background_state(comm, request);
  if (state) {
    if (const auto result = bcast_at_once(buffer, count, type, root, comm, *state, request))
      return *result;
  }
  return nonblocking(
      comm, request,
      [&](const CommState& of) { return prepare_bcast(buffer, count, type, root, of); },
      MPIACTOR_LIBRARY(Count, Ibcast, buffer, count, type, root, comm, request));
}

template <typename Count>
int ireduce(const void* send, void* recv, Count count, MPI_Datatype type, MPI_Op op, int root,
            MPI_Comm comm, MPI_Request* request) {
  return nonblocking(
      comm, request,
      [&](const CommState& state) {
        return prepare_reduce(send, recv, count, type, op, root, state);
      },
      MPIACTOR_LIBRARY(Count, Ireduce, send, recv, count, type, op, root, comm, request));
}

template <typename Count>
int iallreduce(const void* send, void* recv, Count count, MPI_Datatype type, MPI_Op op,
               MPI_Comm comm, MPI_Request* request) {
  return nonblocking(
      comm, request,
      [&](const CommState& state) { return prepare_allreduce(send, recv, count, type, op, state); },
      MPIACTOR_LIBRARY(Count, Iallreduce, send, recv, count, type, op, comm, request));
}

template <typename Count>
int ireduce_scatter(const void* send, void* recv, const Count* counts, MPI_Datatype type, MPI_Op op,
                    MPI_Comm comm, MPI_Request* request) {
  return nonblocking(
      comm, request,
      [&](const CommState& state) {
        return prepare_reduce_scatter("MPI_Ireduce_scatter", send, recv,
                                      shares_of(counts, state.size), type, op, state,
                                      &CallFacts::reduce_scatter);
      },
      MPIACTOR_LIBRARY(Count, Ireduce_scatter, send, recv, counts, type, op, comm, request));
}

template <typename Count>
int ireduce_scatter_block(const void* send, void* recv, Count count, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm, MPI_Request* request) {
  return nonblocking(
      comm, request,
      [&](const CommState& state) {
        return prepare_reduce_scatter("MPI_Ireduce_scatter_block", send, recv,
                                      equal_shares(count, state.size), type, op, state,
                                      &CallFacts::reduce_scatter_block);
      },
      MPIACTOR_LIBRARY(Count, Ireduce_scatter_block, send, recv, count, type, op, comm, request));
}

template <typename Count>
int iallgather(const void* send, Count send_count, MPI_Datatype send_type, void* recv,
               Count recv_count, MPI_Datatype recv_type, MPI_Comm comm, MPI_Request* request) {
  return nonblocking(
      comm, request,
      [&](const CommState& state) {
        return prepare_blocks("MPI_Iallgather", state, [&](KeptTypes* kept) {
          return BlockCall::allgather({send, send_count, send_type}, {recv, recv_count, recv_type},
                                      state, kept);
        });
      },
      MPIACTOR_LIBRARY(Count, Iallgather, send, send_count, send_type, recv, recv_count, recv_type,
                       comm, request));
}

template <typename Count>
int iallgatherv(const void* send, Count send_count, MPI_Datatype send_type, void* recv,
                const Count* counts, const Displacement<Count>* displacements,
                MPI_Datatype recv_type, MPI_Comm comm, MPI_Request* request) {
  return nonblocking(
      comm, request,
      [&](const CommState& state) {
        return prepare_blocks("MPI_Iallgatherv", state, [&](KeptTypes* kept) {
          return BlockCall::allgatherv({send, send_count, send_type}, {recv, 0, recv_type},
                                       CountArray(counts), CountArray(displacements), state, kept);
        });
      },
      MPIACTOR_LIBRARY(Count, Iallgatherv, send, send_count, send_type, recv, counts, displacements,
                       recv_type, comm, request));
}

template <typename Count>
int ialltoall(const void* send, Count send_count, MPI_Datatype send_type, void* recv,
              Count recv_count, MPI_Datatype recv_type, MPI_Comm comm, MPI_Request* request) {
  return nonblocking(
      comm, request,
      [&](const CommState& state) {
        return prepare_blocks("MPI_Ialltoall", state, [&](KeptTypes* kept) {
          return BlockCall::alltoall({send, send_count, send_type}, {recv, recv_count, recv_type},
                                     state, kept);
        });
      },
      MPIACTOR_LIBRARY(Count, Ialltoall, send, send_count, send_type, recv, recv_count, recv_type,
                       comm, request));
}

template <typename Count>
int igather(const void* send, Count send_count, MPI_Datatype send_type, void* recv,
            Count recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm,
            MPI_Request* request) {
  return nonblocking(
      comm, request,
      [&](const CommState& state) {
        return prepare_blocks("MPI_Igather", state, [&](KeptTypes* kept) {
          return BlockCall::gather({send, send_count, send_type}, {recv, recv_count, recv_type},
                                   root, state, kept);
        });
      },
      MPIACTOR_LIBRARY(Count, Igather, send, send_count, send_type, recv, recv_count, recv_type,
                       root, comm, request));
}

template <typename Count>
int iscatter(const void* send, Count send_count, MPI_Datatype send_type, void* recv,
             Count recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm,
             MPI_Request* request) {
  const auto make = [&](const CommState& of, KeptTypes* kept) {
    return BlockCall::scatter({send, send_count, send_type}, {recv, recv_count, recv_type}, root,
                              of, kept);
  };
  if (CommState* const state = background_state(comm, request)) {
    if (const auto result = scatter_at_once(comm, *state, request, make)) return *result;
  }
  return nonblocking(
      comm, request,
      [&](const CommState& of) {
        return prepare_blocks("MPI_Iscatter", of, [&](KeptTypes* kept) { return make(of, kept); });
      },
      MPIACTOR_LIBRARY(Count, Iscatter, send, send_count, send_type, recv, recv_count, recv_type,
                       root, comm, request));
}

}  // namespace
}  // namespace mpiactor::interpose

MPIACTOR_ENTRY(MPI_Ibarrier, ibarrier);
MPIACTOR_ENTRIES(MPI_Ibcast, ibcast);
MPIACTOR_ENTRIES(MPI_Ireduce, ireduce);
MPIACTOR_ENTRIES(MPI_Iallreduce, iallreduce);
MPIACTOR_ENTRIES(MPI_Ireduce_scatter, ireduce_scatter);
MPIACTOR_ENTRIES(MPI_Ireduce_scatter_block, ireduce_scatter_block);
MPIACTOR_ENTRIES(MPI_Iallgather, iallgather);
MPIACTOR_ENTRIES(MPI_Iallgatherv, iallgatherv);
MPIACTOR_ENTRIES(MPI_Ialltoall, ialltoall);
MPIACTOR_ENTRIES(MPI_Igather, igather);
MPIACTOR_ENTRIES(MPI_Iscatter, iscatter);
