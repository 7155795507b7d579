// Broadcasts of up to 16 KiB from roots that stay the same for some calls, longer ones and other
// collectives in between, with and without late ranks. Every value is checked.
#include <unistd.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "tests/actor/collectives/message.h"
#include "tests/actor/collectives/mpi_check.h"

namespace {

int rank = 0;
int ranks = 0;

void broadcast(std::uint64_t call, std::size_t size, int root, bool nonblocking) {
  const mpiactor::testing::Message message(call);
  std::vector<std::uint8_t> data(size);
  if (rank == root) message.fill(data.data(), size);
  if (nonblocking) {
    MPI_Request request;
    MPI_Ibcast(data.data(), static_cast<int>(size), MPI_BYTE, root, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Bcast(data.data(), static_cast<int>(size), MPI_BYTE, root, MPI_COMM_WORLD);
  }
  const std::size_t wrong = message.first_wrong(data.data(), size);
  CHECK(wrong == size, "call " + std::to_string(call) + ", root " + std::to_string(root) +
                           ", byte " + std::to_string(wrong) + " of " + std::to_string(size));
}

// As in a program that factors a matrix: one root for a while, one size. Ranks that do not keep up
// leave it ahead; of the others, one in `late` is late, or none with 0.
void run_from_one_root(int root, std::size_t size, int calls, unsigned late) {
  std::mt19937 own(static_cast<unsigned>(rank));
  for (int call = 0; call < calls; ++call) {
    if (late != 0 && rank != root && own() % late == 0) usleep(300);
    broadcast(static_cast<std::uint64_t>(call), size, root, false);
  }
}

// Every choice at random; `sleeps`: ranks are late by up to 2 ms now and then.
void run_at_random(std::uint64_t seed, int calls, bool sleeps) {
  std::mt19937_64 shared(seed);
  std::mt19937_64 own(seed * 1000003 + static_cast<unsigned>(rank));
  int root = 0;
  int left = 0;
  for (int call = 0; call < calls; ++call) {
    if (left-- == 0) {
      root = static_cast<int>(shared() % static_cast<unsigned>(ranks));
      left = static_cast<int>(shared() % 200);
    }
    const std::uint64_t kind = shared() % 32;
    const std::size_t most = kind == 0 ? 60000 : kind < 16 ? 2048 : 16384;
    const std::size_t size = 1 + shared() % most;
    if (sleeps && own() % 64 == 0) usleep(static_cast<useconds_t>(own() % 2000));
    if (kind == 1) MPI_Barrier(MPI_COMM_WORLD);
    if (kind == 2) {
      long sum = rank;
      MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
      CHECK_EQUAL(sum, static_cast<long>(ranks) * (ranks - 1) / 2, "");
    }
    broadcast(static_cast<std::uint64_t>(call), size, root, kind == 3);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::uint64_t seed = mpiactor::testing::agreed_seed();
  mpiactor::testing::under_each_leader([&] {
    run_from_one_root(ranks - 1, 12000, 1000, 0);
    run_from_one_root(0, 100, 1000, 0);
    run_from_one_root(ranks / 2, 5000, 300, 16);
    run_at_random(seed, 3000, false);
    run_at_random(seed + 1, 1000, true);
  });
  MPI_Finalize();
  return 0;
}
