// A short broadcast to a node of several members: a copy may go to a member that another one has
// outrun. That member comes when the message lies in its node's memory, leaves, and then makes no
// MPI call until it sees, by a file, that whoever sends has left, too. MPI libraries may send a
// short message on for as long as its receiver does not look (Open MPI's shared memory does).
#include <mpi.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/actor/collectives/mpi_check.h"

namespace {

using mpiactor::testing::hybrid_calls;

// Equal on all ranks.
std::string flag_file() {
  const char* const folder = std::getenv("TEST_TMPDIR");
  long process = getpid();
  PMPI_Bcast(&process, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  return std::string(folder ? folder : "/tmp") + "/bcast_copies_" + std::to_string(process);
}

void broadcast(int root, int rank, int round) {
  constexpr int kElements = 300;
  std::vector<int> numbers(kElements, rank == root ? round : -1);
  MPI_Bcast(numbers.data(), kElements, MPI_INT, root, MPI_COMM_WORLD);
  CHECK(numbers == std::vector<int>(kElements, round), "round " + std::to_string(round));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  constexpr int kRounds = 6;
  const std::string flag = flag_file();
  for (int round = 0; round < kRounds; ++round) {
    // Of ranks 0 1 | 2 3; the late one is the other node's lowest or its highest member.
    const int root = round % 2;
    const int late = 2 + round / 2 % 2;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == late) usleep(100'000);
    broadcast(root, rank, round);
    if (rank == root) std::ofstream(flag) << "left\n";
    while (rank == late && !std::filesystem::exists(flag)) usleep(1000);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == root) std::filesystem::remove(flag);  // before the next round's first barrier
  }
  CHECK(hybrid_calls() >= kRounds, "broadcasts that were handled");
  MPI_Finalize();
  return 0;
}
