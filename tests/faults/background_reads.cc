// Members cannot read each other's memory any more, which they find out in calls in the background.
// These end at another place of the program on each rank.
#include <mpi.h>

#include <cstdio>
#include <vector>

namespace {

constexpr int kBlock = 256 << 10;
int rank, ranks;

struct Exchange {
  std::vector<char> send = std::vector<char>(std::size_t{kBlock} * static_cast<std::size_t>(ranks),
                                             static_cast<char>(rank + 1));
  std::vector<char> recv = std::vector<char>(send.size());
  MPI_Request request = MPI_REQUEST_NULL;

  void start() {
    MPI_Ialltoall(send.data(), kBlock, MPI_BYTE, recv.data(), kBlock, MPI_BYTE, MPI_COMM_WORLD,
                  &request);
  }
  void run() {
    MPI_Alltoall(send.data(), kBlock, MPI_BYTE, recv.data(), kBlock, MPI_BYTE, MPI_COMM_WORLD);
  }
  void wait() { MPI_Wait(&request, MPI_STATUS_IGNORE); }
  void check(const char* what) const {
    for (std::size_t i = 0; i < recv.size(); ++i) {
      if (recv[i] == static_cast<char>(i / kBlock + 1)) continue;
      std::fprintf(stderr, "rank %d: %s: wrong data\n", rank, what);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  {
    Exchange before, first, second, last;
    for (int i = 0; i < 3; ++i) MPI_Barrier(MPI_COMM_WORLD);
    before.start();
    before.wait();
    MPI_Barrier(MPI_COMM_WORLD);  // gets the memory that the call before wanted
    // The first rank sees each call's end before it makes the next one.
    first.start();
    if (rank == 0) first.wait();
    second.start();
    if (rank == 0) second.wait();
    last.run();
    if (rank != 0) first.wait();
    if (rank != 0) second.wait();
    before.check("first MPI_Ialltoall");
    first.check("second MPI_Ialltoall");
    second.check("third MPI_Ialltoall");
    last.check("MPI_Alltoall");
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  if (rank == 0) std::puts("all right");
}
