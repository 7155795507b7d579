// The first nonblocking collective on a communicator with an error handler of its own, while
// other communicators are being made that others make later: it must not wait for them.
#include <unistd.h>

#include "tests/actor/collectives/mpi_check.h"
#include "tests/collectives/harness.h"

int main(int argc, char** argv) {
  using namespace mpiactor::testing;
  const Job job(argc, argv);
  const Group& world = job.world();
  MPI_Comm own;
  MPI_Comm_dup(world.comm, &own);
  MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  for (int call = 0; call < 3; ++call) MPI_Barrier(own);
  // Rank 0 begins first, and only then lets the others begin.
  int go = 0;
  if (world.rank != 0) MPI_Recv(&go, 1, MPI_INT, world.rank - 1, 5, own, MPI_STATUS_IGNORE);
  MPI_Comm made[2];
  MPI_Request requests[3];
  for (int which = 0; which < 2; ++which) {
    MPI_Comm_idup(world.comm, &made[which], &requests[which]);
  }
  // They are under way.
  for (int look = 0; world.rank == 0 && look < 200; ++look) {
    int found = 0;
    MPI_Iprobe(0, 99, own, &found, MPI_STATUS_IGNORE);
    usleep(100);
  }
  MPI_Ibarrier(own, &requests[2]);
  if (world.rank + 1 < world.size) MPI_Send(&go, 1, MPI_INT, world.rank + 1, 5, own);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  for (MPI_Comm& comm : made) {
    const int one = 1;
    int sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK_EQUAL(sum, world.size, "a sum on what was made");
    MPI_Comm_free(&comm);
  }
  MPI_Comm_free(&own);
  return 0;
}
