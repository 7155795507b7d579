// Two ranks in a call that goes on in the background and cannot end well: background CALL
//
//   nonblocking | persistent   an allreduce
//   too-long                   a broadcast that is too long for rank 1's buffer
#include <mpi.h>

#include <array>
#include <cstdio>
#include <string>

#include "tests/persistent_names.h"

int main(int argc, char** argv) {
  if (argc < 2) return 64;
  const std::string call = argv[1];
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 3; ++i) MPI_Barrier(MPI_COMM_WORLD);  // so that there is shared memory
  std::array<double, 400> values{};
  MPI_Request request = MPI_REQUEST_NULL;
  if (call == "nonblocking") {
    MPI_Iallreduce(MPI_IN_PLACE, values.data(), 400, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  } else if (call == "persistent") {
    MPI_Allreduce_init(MPI_IN_PLACE, values.data(), 400, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD,
                       MPI_INFO_NULL, &request);
    MPI_Start(&request);
  } else {
    MPI_Ibcast(values.data(), rank == 0 ? 400 : 300, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 1) std::puts("background: rank 1 goes on");
  MPI_Finalize();
  return 0;
}
