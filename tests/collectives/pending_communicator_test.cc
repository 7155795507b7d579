// The first nonblocking collective on a communicator with an error handler of its own, while two
// communicators are being made: it must not wait for the one that other ranks begin only after it.
#include <unistd.h>

#include "tests/actor/collectives/mpi_check.h"
#include "tests/collectives/harness.h"

int main(int argc, char** argv) {
  using namespace mpiactor::testing;
  const Job job(argc, argv);
  const Group& world = job.world();
  MPI_Comm own;
  MPI_Comm parents[2];
  MPI_Comm_dup(world.comm, &own);
  for (MPI_Comm& parent : parents) MPI_Comm_dup(world.comm, &parent);
  MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  for (int call = 0; call < 3; ++call) MPI_Barrier(own);
  MPI_Comm made[2];
  MPI_Request requests[3];
  const auto begin = [&](int which) {
    MPI_Comm_idup(parents[which], &made[which], &requests[which]);
  };
  int go = 0;
  if (world.rank == 0) {
    begin(0);
    begin(1);
    // They are under way.
    for (int look = 0; look < 200; ++look) {
      int found = 0;
      MPI_Iprobe(0, 99, own, &found, MPI_STATUS_IGNORE);
      usleep(1000);
    }
    MPI_Ibarrier(own, &requests[2]);
    for (int rank = 1; rank < world.size; ++rank) MPI_Send(&go, 1, MPI_INT, rank, 5, own);
  } else {
    begin(1);
    usleep(500'000);  // computes
    MPI_Recv(&go, 1, MPI_INT, 0, 5, own, MPI_STATUS_IGNORE);
    begin(0);
    MPI_Ibarrier(own, &requests[2]);
  }
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  for (MPI_Comm& comm : made) {
    const int one = 1;
    int sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK_EQUAL(sum, world.size, "a sum on what was made");
    MPI_Comm_free(&comm);
  }
  for (MPI_Comm& parent : parents) MPI_Comm_free(&parent);
  MPI_Comm_free(&own);
  return 0;
}
