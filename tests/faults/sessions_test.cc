// A session's communicator beside MPI_Init: its collectives are the MPI library's, and go on when
// MPI_Finalize has been called, on some ranks before others. Those of MPI_COMM_WORLD are handled.
// Open MPI 4 has no sessions, which is said.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

#include "tests/actor/collectives/mpi_check.h"

#if MPI_VERSION >= 4 || (defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5)

namespace {

constexpr int kCalls = 20;

int rank, ranks;
MPI_Comm comm;

void check(bool is_right, const char* what) {
  if (is_right) return;
  std::fprintf(stderr, "rank %d: wrong: %s\n", rank, what);
  std::abort();
}

void check_sum(int sum, int addend) {
  check(sum == ranks * addend + ranks * (ranks - 1) / 2, "a sum");
}

void broadcast(int call) {
  int value = rank == 0 ? call : -1;
  MPI_Bcast(&value, 1, MPI_INT, 0, comm);
  check(value == call, "what the root sent");
}

void sum_in_background(int call) {
  const int value = rank + call;
  int sum = -1;
  MPI_Request request;
  MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check_sum(sum, call);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Session session;
  MPI_Group group;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "sessions_test", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Group_free(&group);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);

  int value = rank, sum = -1;
  MPI_Request again;
  MPI_Allreduce_init(&value, &sum, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &again);
  const auto sum_again = [&] {
    sum = -1;
    MPI_Start(&again);
    MPI_Wait(&again, MPI_STATUS_IGNORE);
    check_sum(sum, 0);
  };
  for (int call = 0; call < kCalls; ++call) {
    broadcast(call);
    sum_in_background(call);
    sum_again();
  }
  check(mpiactor::testing::hybrid_calls() == 0, "a session's call was handled");
  MPI_Barrier(MPI_COMM_WORLD);
  check(mpiactor::testing::hybrid_calls() == 1, "MPI_COMM_WORLD's call was not handled");
  // The root need not wait for others.
  if (rank == 0) broadcast(kCalls);
  MPI_Finalize();
  if (rank != 0) broadcast(kCalls);
  sum_in_background(kCalls);
  sum_again();
  MPI_Request_free(&again);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
  return 0;
}

#else

int main() {
  std::puts("not tried: this MPI library has no sessions");
  return 0;
}

#endif
