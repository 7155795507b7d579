// Broadcasts without end, for tests that kill ranks: storm [--churn] [--mark FILE] --seed S
//
// Roots and sizes are random and equal on all ranks. --churn: every few broadcasts on a
// communicator of its own, so that containers are made and freed all the time. --mark: rank 0
// creates FILE when MPI is initialised, right before the first broadcast. Wrong bytes end the job
// with status 3.
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "third_party/cli11/cli.h"

namespace {

constexpr std::size_t kLongest = 1 << 20;

std::size_t random_size(std::mt19937_64& random) {
  // Every magnitude equally often: inline, pushed, announced, held, ring.
  const std::uint64_t magnitude = std::uint64_t{1} << (random() % 21);
  return random() % (magnitude + 1);
}

void broadcast(std::vector<std::uint8_t>& buffer, std::mt19937_64& random, MPI_Comm comm, int ranks,
               int rank) {
  const std::size_t bytes = random_size(random);
  const int root = static_cast<int>(random() % static_cast<unsigned>(ranks));
  const auto first = static_cast<std::uint8_t>(random());
  if (rank == root && bytes > 0) buffer[0] = buffer[bytes - 1] = first;
  MPI_Bcast(buffer.data(), static_cast<int>(bytes), MPI_BYTE, root, comm);
  if (bytes > 0 && (buffer[0] != first || buffer[bytes - 1] != first)) {
    std::fprintf(stderr, "storm: rank %d got wrong bytes from root %d\n", rank, root);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
}

}  // namespace

int main(int argc, char** argv) {
  mpiactor::cli::App app{"Broadcasts without end"};
  bool churn = false;
  std::string mark;
  std::uint64_t seed = 0;
  app.add_flag("--churn", churn, "every few broadcasts on a communicator of its own");
  app.add_option("--mark", mark, "file that rank 0 creates before the first broadcast");
  app.add_option("--seed", seed, "of roots and sizes")->required();
  if (const auto status = app.try_parse(argc, argv)) return *status;

  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::mt19937_64 random(seed);
  std::vector<std::uint8_t> buffer(kLongest + 1);
  if (!mark.empty() && rank == 0) std::ofstream{mark};
  for (;;) {
    MPI_Comm comm = MPI_COMM_WORLD;
    if (churn) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < 4; ++i) broadcast(buffer, random, comm, ranks, rank);
    if (churn) MPI_Comm_free(&comm);
  }
}
