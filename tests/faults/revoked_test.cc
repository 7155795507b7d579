// Where Open MPI outlives the death of ranks, a communicator that a rank revokes ends the calls of
// the others with an error, and a new one is made of it. Open MPI 4 cannot, which is said.
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "tests/actor/collectives/mpi_check.h"

extern "C" {
int MPIX_Comm_revoke(MPI_Comm comm) __attribute__((weak));
int MPIX_Comm_shrink(MPI_Comm comm, MPI_Comm* rest) __attribute__((weak));
}

namespace {

// The error code of an MPI_Allreduce, whose value is checked where there is none.
int sum_ranks(MPI_Comm comm) {
  int rank = 0, ranks = 0, sum = -1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const int error = MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  if (error == MPI_SUCCESS) CHECK_EQUAL(sum, ranks * (ranks - 1) / 2, "");
  return error;
}

void revoke_and_shrink() {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  for (int call = 0; call < 20; ++call) CHECK_EQUAL(sum_ranks(comm), MPI_SUCCESS, "before");
  if (rank == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));  // the others are in their call
    CHECK_EQUAL(MPIX_Comm_revoke(comm), MPI_SUCCESS, "");
  }
  CHECK_EQUAL(sum_ranks(comm) != MPI_SUCCESS, true, "an error after MPIX_Comm_revoke");
  MPI_Comm rest;
  CHECK_EQUAL(MPIX_Comm_shrink(comm, &rest), MPI_SUCCESS, "");
  for (int call = 0; call < 20; ++call) CHECK_EQUAL(sum_ranks(rest), MPI_SUCCESS, "afterwards");
  MPI_Comm_free(&rest);
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (MPIX_Comm_revoke && MPIX_Comm_shrink) {
    revoke_and_shrink();
  } else {
    std::puts("not tried: this MPI library does not outlive the death of ranks");
  }
  MPI_Finalize();
  return 0;
}
