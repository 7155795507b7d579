// What the trace costs a call: MPI_Barrier on a communicator of one process, which does next to
// nothing. Run with and without MPIACTOR_TRACE: overhead [CALLS]
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int calls = argc > 1 ? std::atoi(argv[1]) : 200000;
  double best_s = 1e9;
  for (int run = 0; run < 5; ++run) {
    const double begin = MPI_Wtime();
    for (int i = 0; i < calls; ++i) MPI_Barrier(MPI_COMM_SELF);
    best_s = std::min(best_s, MPI_Wtime() - begin);
  }
  std::printf("%.1f ns a call\n", best_s / calls * 1e9);
  MPI_Finalize();
  return 0;
}
