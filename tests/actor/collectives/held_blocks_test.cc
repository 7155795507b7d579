// Long allreduces right behind a broadcast that some ranks have left and others not: wherever its
// message lies, the blocks of the allreduce, of which one is held while the next is taken, have
// room. Arguments: the bytes of the longest broadcast, of which there are as many as 64 bytes less
// each.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/actor/collectives/mpi_check.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  constexpr int kBroadcasts = 24;
  constexpr std::size_t kElements = 128 << 10;
  const int most = argc > 1 ? std::atoi(argv[1]) : 0;
  CHECK_EQUAL(most > 64 * kBroadcasts, true, "the longest broadcast");
  std::vector<char> message(static_cast<std::size_t>(most));
  std::vector<double> numbers(kElements);
  std::vector<double> sums(kElements);
  const auto add_up = [&](int call) {
    for (std::size_t i = 0; i < kElements; ++i) {
      numbers[i] = static_cast<double>(rank + call + static_cast<int>(i % 1000));
    }
    MPI_Allreduce(numbers.data(), sums.data(), kElements, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (std::size_t i = 0; i < kElements; ++i) {
      const double expected = ranks * (ranks - 1) / 2.0 +
                              ranks * static_cast<double>(call + static_cast<int>(i % 1000));
      if (sums[i] != expected) {
        CHECK_EQUAL(sums[i], expected,
                    "sum " + std::to_string(i) + " of call " + std::to_string(call));
      }
    }
  };
  add_up(0);  // the MPI library's
  add_up(1);  // gets its memory
  for (int call = 2; call < 2 + kBroadcasts; ++call) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == ranks - 1) usleep(10'000);
    const int bytes = most - 64 * (call - 2);
    const char value = static_cast<char>(call);
    if (rank == 0) std::fill(message.begin(), message.end(), value);
    MPI_Bcast(message.data(), bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    CHECK_EQUAL(std::count(message.begin(), message.begin() + bytes, value), std::ptrdiff_t{bytes},
                "bytes of broadcast " + std::to_string(call));
    add_up(call);
  }
  MPI_Finalize();
  return 0;
}
