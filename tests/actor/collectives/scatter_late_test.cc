// A scatter whose last rank comes late gets that rank's block through staging, while the others
// have theirs by single copy and go on. The next one to take staging must not take the same memory.
#include <unistd.h>

#include <string>
#include <vector>

#include "tests/actor/collectives/mpi_check.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  constexpr int kBlock = 64 << 10;     // ints: long enough for single copy
  constexpr int kMessage = 200 << 10;  // of the broadcast that follows, held in staging
  std::vector<int> all(static_cast<std::size_t>(kBlock * ranks));
  std::vector<int> mine(kBlock);
  std::vector<int> message(kMessage);
  constexpr int kCalls = 150;
  for (int call = 0; call < kCalls; ++call) {
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = call * 1'000'003 + static_cast<int>(i);
    for (int i = 0; rank == 1 && i < kMessage; ++i) {
      message[static_cast<std::size_t>(i)] = -call - i;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == ranks - 1) usleep(static_cast<unsigned>(300 + call % 7 * 100));
    MPI_Scatter(all.data(), kBlock, MPI_INT, mine.data(), kBlock, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(message.data(), kMessage, MPI_INT, 1, MPI_COMM_WORLD);
    const std::string context = "in call " + std::to_string(call);
    for (int i = 0; i < kBlock; ++i) {
      CHECK_EQUAL(mine[static_cast<std::size_t>(i)], call * 1'000'003 + rank * kBlock + i, context);
    }
    for (int i = 0; i < kMessage; ++i) {
      CHECK_EQUAL(message[static_cast<std::size_t>(i)], -call - i, context);
    }
  }
  CHECK(mpiactor::testing::hybrid_calls() > kCalls, "calls were passed on");
  MPI_Finalize();
  return 0;
}
