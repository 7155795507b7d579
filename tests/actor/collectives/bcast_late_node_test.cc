// Broadcasts in which a node that sends on comes only when nodes below it have left: they turn to
// the nodes above. Arguments: the late node and those that it waits for, by MPIACTOR_NODES.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "tests/actor/collectives/message.h"
#include "tests/actor/collectives/mpi_check.h"

namespace {

constexpr int kTag = 7;

void broadcast(std::vector<unsigned char>& message, int rank, int root, int call) {
  const auto expected =
      mpiactor::testing::Message(static_cast<unsigned>(call)).first(message.size());
  if (rank == root) {
    message = expected;
  } else {
    std::fill(message.begin(), message.end(), 0);
  }
  MPI_Bcast(message.data(), static_cast<int>(message.size()), MPI_BYTE, root, MPI_COMM_WORLD);
  CHECK(message == expected,
        std::to_string(message.size()) + " bytes, call " + std::to_string(call));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  CHECK(argc >= 3, "no nodes are named");
  const int ranks_of_node = std::atoi(argv[1]);
  const auto ranks_of = [&](const char* node) {
    std::vector<int> all;
    for (int i = 0; i < ranks_of_node; ++i) all.push_back(std::atoi(node) * ranks_of_node + i);
    return all;
  };
  const std::vector<int> late = ranks_of(argv[2]);
  std::vector<int> below;
  for (int i = 3; i < argc; ++i) {
    for (const int each : ranks_of(argv[i])) below.push_back(each);
  }
  const auto is_in = [&](const std::vector<int>& all) {
    return std::find(all.begin(), all.end(), rank) != all.end();
  };
  for (int i = 0; i < 20; ++i) MPI_Barrier(MPI_COMM_WORLD);
  int call = 0;
  for (const std::size_t bytes : {20'000, 65'536, 400'000, 5'000'000}) {
    std::vector<unsigned char> message(bytes);
    broadcast(message, rank, 0, ++call);
    for (int i = 0; i < 5; ++i) {
      int word = 0;
      for (const int other : below) {
        if (!is_in(late)) break;
        MPI_Recv(&word, 1, MPI_INT, other, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
      broadcast(message, rank, 0, ++call);
      for (const int other : late) {
        if (is_in(below)) MPI_Send(&word, 1, MPI_INT, other, kTag, MPI_COMM_WORLD);
      }
    }
  }
  // Anybody late, any root.
  const unsigned seed = 20261125;
  std::mt19937 random(seed);
  for (int i = 0; i < 40; ++i) {
    std::vector<unsigned char> message(18'000 + random() % 300'000);
    const int root = static_cast<int>(random() % static_cast<unsigned>(ranks));
    for (int each = 0; each < ranks; ++each) {
      const auto us = static_cast<unsigned>(random() % 4 == 0 ? random() % 20'000 : 0);
      if (each == rank) usleep(us);
    }
    broadcast(message, rank, root, ++call);
  }
  CHECK(mpiactor::testing::hybrid_calls() > 40, "calls were passed on");
  MPI_Finalize();
  return 0;
}
