// MPI_Ibarrier, MPI_Ibcast, MPI_Ireduce, MPI_Iallreduce.
//
// The request is a generalised request of the MPI library, so it can be waited for and tested
// together with any others, in C and Fortran, by the library's own functions. Those drive its
// progress, and with it the background calls (ucx_progress.cc).
#include <memory>
#include <optional>

#include "actor/interpose/background_call.h"
#include "actor/interpose/interpose.h"
#include "actor/interpose/take_over.h"

namespace mpiactor::interpose {
namespace {

// What MPI_Wait and MPI_Test ask when the call has ended.
int query(void* error, MPI_Status* status) {
  PMPI_Status_set_elements(status, MPI_BYTE, 0);
  PMPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  return *static_cast<int*>(error);
}

int release(void* error) {
  delete static_cast<int*>(error);
  return MPI_SUCCESS;
}

// As with any collective: it cannot be.
int cancel(void*, int) { return MPI_SUCCESS; }

// The state of a communicator on which calls may run in the background. Its container was made by a
// blocking call: a nonblocking one must not wait for the others to make it.
const CommState* background_state(MPI_Comm comm, const MPI_Request* request) {
  if (!request || !world()->background) return nullptr;
  const CommState* const state = handled_state(comm);
  return state && state->container ? state : nullptr;
}

// prepare(state) returns the call, if it can be handled.
template <typename Prepare, typename PassOn>
int nonblocking(MPI_Comm comm, MPI_Request* request, Prepare prepare, PassOn pass_on) {
  const CommState* const state = background_state(comm, request);
  const std::optional<BackgroundCall> call = state ? prepare(*state) : std::nullopt;
  if (!call) return pass(pass_on);
  auto error = std::make_unique<int>(MPI_SUCCESS);
  const int failure = PMPI_Grequest_start(query, release, cancel, error.get(), request);
  if (failure != MPI_SUCCESS) return failure;
  start(*call, [error = error.release(), request = *request](int outcome) {
    *error = outcome;
    PMPI_Grequest_complete(request);
  });
  return MPI_SUCCESS;
}

}  // namespace

int ibarrier(MPI_Comm comm, MPI_Request* request) {
  return nonblocking(
      comm, request, [&](const CommState& state) { return prepare_barrier(comm, state); },
      [&] { return PMPI_Ibarrier(comm, request); });
}

int ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
           MPI_Request* request) {
  return nonblocking(
      comm, request,
      [&](const CommState& state) { return prepare_bcast(buffer, count, type, root, comm, state); },
      [&] { return PMPI_Ibcast(buffer, count, type, root, comm, request); });
}

int ireduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, int root,
            MPI_Comm comm, MPI_Request* request) {
  return nonblocking(
      comm, request,
      [&](const CommState& state) {
        return prepare_reduce(send, recv, count, type, op, root, comm, state);
      },
      [&] { return PMPI_Ireduce(send, recv, count, type, op, root, comm, request); });
}

int iallreduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
               MPI_Request* request) {
  return nonblocking(
      comm, request,
      [&](const CommState& state) {
        return prepare_allreduce(send, recv, count, type, op, comm, state);
      },
      [&] { return PMPI_Iallreduce(send, recv, count, type, op, comm, request); });
}

}  // namespace mpiactor::interpose
