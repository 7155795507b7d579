// Broadcasts of 1 to 16 KiB whose last rank enters only when the root, which has left, says so. A
// root does not stay for a late member of a node that has come, also where the MPI library sends
// messages of that length when their receiver takes them.
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/actor/collectives/mpi_check.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  constexpr int kCalls = 70;  // more than those between two that are announced
  // The runtime's own preparations wait for all ranks.
  for (int i = 0; i < 20; ++i) MPI_Barrier(MPI_COMM_WORLD);
  for (const int bytes : {1 << 10, 4 << 10, 6 << 10, 8 << 10, 12 << 10, 16 << 10}) {
    std::vector<unsigned char> message(static_cast<std::size_t>(bytes));
    for (int call = 0; call < kCalls; ++call) {
      const auto value = static_cast<unsigned char>(1 + call);
      const std::string context = std::to_string(bytes) + " bytes, call " + std::to_string(call);
      std::fill(message.begin(), message.end(), rank == 0 ? value : 0);
      int word = 0;
      // Uneven calls: each member of a node that might lead gets a copy.
      if (rank == 0) usleep(call % 2 == 0 ? 0 : 9000);
      if (rank == ranks - 1) {
        MPI_Recv(&word, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
      MPI_Bcast(message.data(), bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
      if (rank == 0) MPI_Send(&word, 1, MPI_INT, ranks - 1, 7, MPI_COMM_WORLD);
      for (const unsigned char byte : message) CHECK_EQUAL(int{byte}, int{value}, context);
    }
  }
  CHECK(mpiactor::testing::hybrid_calls() > kCalls, "calls were passed on");
  MPI_Finalize();
  return 0;
}
