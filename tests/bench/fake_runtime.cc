// A preload that stands in for the runtime: with leader "static" every broadcast takes 20 ms more.
// FAKE_CORRUPT=1 spoils one byte on the last rank, FAKE_REFUSE=1 refuses leader "competitive".
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

constexpr useconds_t kStaticCostUs = 20000;

std::string leader = "off";
int broadcasts = 0;

}  // namespace

extern "C" {

int mpiactor_set_leader(const char* name) {
  if (std::string(name) == "competitive" && std::getenv("FAKE_REFUSE") != nullptr) return 1;
  leader = name;
  return 0;
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  ++broadcasts;
  if (leader == "static") usleep(kStaticCostUs);
  const int error = PMPI_Bcast(buffer, count, type, root, comm);
  int rank = 0;
  int ranks = 0;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  if (std::getenv("FAKE_CORRUPT") != nullptr && rank == ranks - 1 && rank != root) {
    static_cast<unsigned char*>(buffer)[count - 1] ^= 1;
  }
  return error;
}

int MPI_Finalize() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::printf("fake runtime: %d broadcasts\n", broadcasts);
  std::fflush(stdout);
  return PMPI_Finalize();
}

}  // extern "C"
