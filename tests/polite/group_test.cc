// Under the polite preload all ranks of a machine are in one session, so that a yield gives way,
// and a barrier of more ranks than cores does not wait for time slices to end.
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  const int session = getsid(0);
  int lowest = 0;
  int highest = 0;
  MPI_Allreduce(&session, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&session, &highest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);

  // Polite, 16 ranks on 2 cores need 0.1 ms each; as it is, MPICH needs 4 to 300 ms. The fastest of
  // many, so that a busy machine does not fail the test.
  constexpr int kBarriers = 200;
  constexpr double kSlowestUs = 2000;
  double fastest_us = 1e9;
  for (int i = 0; i < kBarriers; ++i) {
    const double start_s = MPI_Wtime();
    MPI_Barrier(MPI_COMM_WORLD);
    fastest_us = std::min(fastest_us, (MPI_Wtime() - start_s) * 1e6);
  }
  double slowest_rank_us = 0;
  MPI_Allreduce(&fastest_us, &slowest_rank_us, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);

  const bool good = lowest == highest && slowest_rank_us < kSlowestUs;
  if (!good && rank == 0) {
    std::fprintf(stderr, "sessions %d to %d instead of one; barrier %.0f us, allowed are %.0f\n",
                 lowest, highest, slowest_rank_us, kSlowestUs);
  }
  MPI_Finalize();
  return good ? 0 : 1;
}
