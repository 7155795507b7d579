// Nodes whose places on the torus are not their numbers, by a file of coordinates: blocks come to
// whom they are for. Every rank says that it runs on a host of its own; the last one comes first.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/actor/collectives/mpi_check.h"
#include "tests/collectives/harness.h"

namespace {

using namespace mpiactor::testing;

int launched(const char* mpich, const char* openmpi) {
  const char* const value = std::getenv(mpich) ? std::getenv(mpich) : std::getenv(openmpi);
  return value ? std::atoi(value) : 0;
}

// Every rank writes the same; so does every job of so many ranks, which may run at the same time.
void place_hosts(const std::filesystem::path& folder) {
  const int ranks = launched("PMI_SIZE", "OMPI_COMM_WORLD_SIZE");
  const std::filesystem::path own = folder / ("coordinates." + std::to_string(getpid()));
  {
    std::ofstream out(own);
    for (int rank = 0; rank < ranks; ++rank) {
      out << "host" << rank << ' ' << ranks - 1 - rank << '\n';
    }
  }
  const std::filesystem::path file = folder / ("coordinates_of_" + std::to_string(ranks));
  std::filesystem::rename(own, file);
  setenv("MPIACTOR_TORUS", ("file:" + file.string()).c_str(), 1);
}

std::uint32_t word(int from, int to, std::size_t i) {
  return static_cast<std::uint32_t>(from * 1000003 + to * 7919) + static_cast<std::uint32_t>(i);
}

// `count`: words of a block.
void exchange(const Group& group, std::size_t count) {
  const auto ranks = static_cast<std::size_t>(group.size);
  std::vector<std::uint32_t> give(count * ranks);
  std::vector<std::uint32_t> take(count * ranks);
  const int blocks = static_cast<int>(count);
  for (std::size_t i = 0; i < count; ++i) give[i] = word(group.rank, 0, i);
  MPI_Allgather(give.data(), blocks, MPI_UINT32_T, take.data(), blocks, MPI_UINT32_T, group.comm);
  for (std::size_t i = 0; i < take.size(); ++i) {
    CHECK_EQUAL(take[i], word(static_cast<int>(i / count), 0, i % count), "allgather");
  }
  for (std::size_t i = 0; i < give.size(); ++i) {
    give[i] = word(group.rank, static_cast<int>(i / count), i % count);
  }
  MPI_Alltoall(give.data(), blocks, MPI_UINT32_T, take.data(), blocks, MPI_UINT32_T, group.comm);
  for (std::size_t i = 0; i < take.size(); ++i) {
    CHECK_EQUAL(take[i], word(static_cast<int>(i / count), group.rank, i % count), "alltoall");
  }
  const std::vector<std::uint32_t> ones(count, 1);
  MPI_Reduce_scatter_block(std::vector<std::uint32_t>(count * ranks, 1).data(), take.data(), blocks,
                           MPI_UINT32_T, MPI_SUM, group.comm);
  for (std::size_t i = 0; i < count; ++i) CHECK_EQUAL(take[i], ranks, "reduce_scatter_block");
  MPI_Allreduce(ones.data(), take.data(), blocks, MPI_UINT32_T, MPI_SUM, group.comm);
  for (std::size_t i = 0; i < count; ++i) CHECK_EQUAL(take[i], ranks, "allreduce");
  for (int root = 0; root < group.size; ++root) {
    const bool is_root = group.rank == root;
    MPI_Scatter(give.data(), blocks, MPI_UINT32_T, take.data(), blocks, MPI_UINT32_T, root,
                group.comm);
    for (std::size_t i = 0; i < count; ++i) {
      CHECK_EQUAL(take[i], word(root, group.rank, i), "scatter");
    }
    MPI_Gather(take.data(), blocks, MPI_UINT32_T, is_root ? give.data() : nullptr, blocks,
               MPI_UINT32_T, root, group.comm);
    for (std::size_t i = 0; is_root && i < give.size(); ++i) {
      CHECK_EQUAL(give[i], word(root, static_cast<int>(i / count), i % count), "gather");
    }
    MPI_Bcast(take.data(), blocks, MPI_UINT32_T, root, group.comm);
    for (std::size_t i = 0; i < count; ++i) CHECK_EQUAL(take[i], word(root, root, i), "bcast");
  }
}

}  // namespace

// In place of the C library's, for the runtime and the MPI library.
extern "C" int gethostname(char* name, std::size_t length) {
  std::snprintf(name, length, "host%d", launched("PMI_RANK", "OMPI_COMM_WORLD_RANK"));
  return 0;
}

int main(int argc, char** argv) {
  const char* const folder = std::getenv("TEST_TMPDIR");
  place_hosts(folder ? folder : "/tmp");
  const Job job(argc, argv);
  for (const std::size_t count : {1, 25, 1000, 20000}) exchange(job.world(), count);
  return 0;
}
