// Collectives of sizes at which the runtime turns from one way to another (inter/rules.json), for
// ways_test.py. Each first once, for the communicator's sake.
#include <mpi.h>

#include <cstdint>
#include <numeric>
#include <vector>

namespace {

int ranks = 0;
std::vector<char> from;
std::vector<char> to;

std::uint64_t all(std::uint64_t block) { return block * static_cast<std::uint64_t>(ranks); }

void make_room(std::uint64_t bytes) {
  if (from.size() >= bytes) return;
  from.assign(bytes, 1);
  to.assign(bytes, 0);
}

void allreduce(std::uint64_t bytes) {
  make_room(bytes);
  MPI_Allreduce(from.data(), to.data(), static_cast<int>(bytes), MPI_CHAR, MPI_SUM, MPI_COMM_WORLD);
}

// Blocks of `bytes`, and one byte longer.
template <typename Call>
void at_limit(std::uint64_t bytes, Call call) {
  make_room(all(bytes + 1));
  call(static_cast<int>(bytes));
  call(static_cast<int>(bytes) + 1);
}

// Of rank r: r % 3 bytes.
void allgatherv() {
  std::vector<int> counts;
  for (int rank = 0; rank < ranks; ++rank) counts.push_back(rank % 3);
  std::vector<int> places(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allgatherv(from.data(), rank % 3, MPI_CHAR, to.data(), counts.data(), places.data(), MPI_CHAR,
                 MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Barrier(comm);
  MPI_Barrier(comm);
  for (const std::uint64_t kib : {1, 16, 17, 63, 64, 80, 81}) allreduce(kib << 10);
  allreduce((16 << 10) + 1);
  allreduce((64 << 10) - 1);
  allreduce((80 << 10) + 1);
  // ways_test.py's layout. On few nodes there is no limit for an allgather.
  const int nodes = ranks / 2;
  at_limit(nodes <= 4 ? 0 : 128 << 10, [&](int bytes) {
    MPI_Allgather(from.data(), bytes, MPI_CHAR, to.data(), bytes, MPI_CHAR, comm);
  });
  at_limit(4 << 10, [&](int bytes) {
    MPI_Alltoall(from.data(), bytes, MPI_CHAR, to.data(), bytes, MPI_CHAR, comm);
  });
  at_limit(1 << 20, [&](int bytes) {
    MPI_Scatter(from.data(), bytes, MPI_CHAR, to.data(), bytes, MPI_CHAR, 0, comm);
  });
  allgatherv();
  MPI_Reduce(from.data(), to.data(), 1000, MPI_CHAR, MPI_SUM, 0, comm);
  MPI_Reduce_scatter_block(from.data(), to.data(), 1000, MPI_CHAR, MPI_SUM, comm);
  MPI_Finalize();
}
