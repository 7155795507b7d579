// The job's first reduction while another thread makes a communicator: the one must not wait for
// the other, since a rank may do first the one and then the other.
#include <unistd.h>

#include <thread>

#include "tests/actor/collectives/mpi_check.h"

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  CHECK_EQUAL(level, MPI_THREAD_MULTIPLE, "the thread level");
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  for (int call = 0; call < 3; ++call) MPI_Barrier(own);
  MPI_Comm other = MPI_COMM_NULL;
  const auto make = [&other] { MPI_Comm_dup(MPI_COMM_WORLD, &other); };
  std::thread maker;
  if (rank == 0) {
    maker = std::thread(make);
    usleep(300'000);
  }
  const int one = 1;
  int sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, own);
  CHECK_EQUAL(sum, size, "the sum");
  if (rank == 0) {
    maker.join();
  } else {
    make();
  }
  MPI_Comm_free(&other);
  MPI_Comm_free(&own);
  MPI_Finalize();
  return 0;
}
