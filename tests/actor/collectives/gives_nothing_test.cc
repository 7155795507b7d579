// MPI_Allgatherv of a rank that gives nothing. Its send buffer and the place of its empty block may
// be one address, as where its send buffer lies right behind its receive buffer: they have no byte
// in common. The other ranks cannot know, so the call must go the same way there as everywhere.
#include <mpi.h>

#include <string>
#include <vector>

#include "tests/actor/collectives/mpi_check.h"

namespace {

using mpiactor::testing::hybrid_calls;

constexpr int kCount = 5;  // of each rank but one

int value(int rank, int index, int round) { return 1000 * round + 10 * rank + index; }

// `idle` gives nothing. Its block's place is behind all others, where its send buffer begins.
void gather_from_all_but(int idle, int round) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int all = kCount * (size - 1);
  std::vector<int> counts;
  std::vector<int> places;
  for (int r = 0; r < size; ++r) {
    counts.push_back(r == idle ? 0 : kCount);
    places.push_back(r == idle ? all : kCount * (r - (r > idle)));
  }
  std::vector<int> memory(static_cast<std::size_t>(all + kCount), -1);
  int* const send = memory.data() + all;
  for (int i = 0; i < kCount; ++i) send[i] = value(rank, i, round);
  MPI_Allgatherv(send, counts[static_cast<std::size_t>(rank)], MPI_INT, memory.data(),
                 counts.data(), places.data(), MPI_INT, MPI_COMM_WORLD);
  const std::string context = "round " + std::to_string(round) + " without " + std::to_string(idle);
  for (int r = 0; r < size; ++r) {
    for (int i = 0; r != idle && i < kCount; ++i) {
      const int at = places[static_cast<std::size_t>(r)] + i;
      CHECK_EQUAL(memory[static_cast<std::size_t>(at)], value(r, i, round), context);
    }
  }
  for (int i = 0; i < kCount; ++i) CHECK_EQUAL(send[i], value(rank, i, round), context);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int round = 0; round < 4; ++round) {
    for (int idle = 0; idle < size; ++idle) {
      gather_from_all_but(idle, round);
      // A rank out of step is here in another call than the rest.
      int sum = 1;
      PMPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      CHECK_EQUAL(sum, size, "ranks");
    }
  }
  long least = hybrid_calls();
  long most = hybrid_calls();
  PMPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_LONG, MPI_MIN, MPI_COMM_WORLD);
  PMPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
  CHECK_EQUAL(least, most, "calls that were handled");
  CHECK(least > 0, "calls that were handled");
  MPI_Finalize();
  return 0;
}
