// More than 2 GiB in one broadcast: as many elements of a large type, and as a count of its own.
#include <cstdlib>
#include <vector>

#include "tests/actor/collectives/mpi_check.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  constexpr std::size_t kWords = (std::size_t{2} << 30) / 8 + 1000;
  // Fresh memory is given page by page; marks are set all over it.
  std::vector<std::uint64_t> data(kWords);
  const auto mark = [](std::size_t i, int call) {
    return i * 0x9e3779b97f4a7c15u + static_cast<unsigned>(call);
  };
  constexpr std::size_t kStep = 511;
  for (int call = 0; call < 3; ++call) {
    const int root = call % ranks;
    if (rank == root) {
      for (std::size_t i = 0; i < kWords; i += kStep) data[i] = mark(i, call);
    }
    if (call == 1) {
      MPI_Datatype row;
      MPI_Type_contiguous(static_cast<int>(kWords / 1000), MPI_UINT64_T, &row);
      MPI_Type_commit(&row);
      MPI_Bcast(data.data(), 1000, row, root, MPI_COMM_WORLD);
      MPI_Type_free(&row);
      for (std::size_t i = 0; i < kWords / 1000 * 1000; i += kStep)
        CHECK_EQUAL(data[i], mark(i, call), "row type");
    } else {
      MPI_Bcast_c(data.data(), static_cast<MPI_Count>(kWords) * 8, MPI_BYTE, root, MPI_COMM_WORLD);
      for (std::size_t i = 0; i < kWords; i += kStep)
        CHECK_EQUAL(data[i], mark(i, call), "large count");
    }
  }
  MPI_Finalize();
  return 0;
}
