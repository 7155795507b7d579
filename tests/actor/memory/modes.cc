// Reductions of 64 KiB, for modes_test.sh: whether their results are right.
#include <mpi.h>

#include <cstdio>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  constexpr int kNumbers = 8192;
  constexpr int kCalls = 20;
  int wrong = 0;
  for (int call = 0; call < kCalls; ++call) {
    std::vector<double> in(kNumbers);
    std::vector<double> out(kNumbers);
    for (int i = 0; i < kNumbers; ++i) in[static_cast<std::size_t>(i)] = i + call + rank;
    MPI_Allreduce(in.data(), out.data(), kNumbers, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < kNumbers; ++i) {
      wrong += out[static_cast<std::size_t>(i)] != ranks * (i + call) + ranks * (ranks - 1) / 2;
    }
  }
  int all_wrong = 0;
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) std::printf("modes: calls=%d wrong=%d\n", kCalls, all_wrong);
  MPI_Finalize();
  return 0;
}
