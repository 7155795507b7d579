// More than 2 GiB in one broadcast: as many elements of a large type, of one with gaps beside one
// without, and as a count of its own.
#include <sys/mman.h>

#include <cstdlib>

#include "tests/actor/collectives/mpi_check.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  constexpr std::size_t kWords = (std::size_t{2} << 30) / 8 + 1000;
  constexpr std::size_t kRows = 1000;
  constexpr std::size_t kRow = kWords / kRows;
  constexpr std::size_t kGap = 2;
  // Fresh memory is given page by page, in large ones where the system has them.
  constexpr std::size_t kBytes = (kWords + kRows * kGap) * 8;
  void* const memory =
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) mpiactor::testing::fail(__FILE__, __LINE__, "no memory");
  madvise(memory, kBytes, MADV_HUGEPAGE);
  auto* const data = static_cast<std::uint64_t*>(memory);
  const auto mark = [](std::size_t i, int call) {
    return i * 0x9e3779b97f4a7c15u + static_cast<unsigned>(call);
  };
  constexpr std::size_t kStep = 511;
  // Broadcasts `count` of `type`, with `gap` words behind every row in `data`.
  int call = 0;
  const auto broadcast = [&](std::size_t words, std::size_t gap, auto bcast, const char* what) {
    const int root = call % ranks;
    const auto at = [=](std::size_t i) { return i + i / kRow * gap; };
    if (rank == root) {
      for (std::size_t i = 0; i < words; i += kStep) data[at(i)] = mark(i, call);
    }
    bcast(root);
    for (std::size_t i = 0; i < words; i += kStep) CHECK_EQUAL(data[at(i)], mark(i, call), what);
    ++call;
  };
  MPI_Datatype row, row_with_gap;
  MPI_Type_contiguous(kRow, MPI_UINT64_T, &row);
  MPI_Type_create_resized(row, 0, (kRow + kGap) * 8, &row_with_gap);
  MPI_Type_commit(&row);
  MPI_Type_commit(&row_with_gap);
  const auto of_rows = [&](MPI_Datatype type) {
    return [&, type](int root) { MPI_Bcast(data, kRows, type, root, MPI_COMM_WORLD); };
  };
  broadcast(kRows * kRow, 0, of_rows(row), "row type");
  const int has_gap = rank == 1;
  broadcast(kRows * kRow, has_gap ? kGap : 0, of_rows(has_gap ? row_with_gap : row),
            "gaps at the root alone");
#if MPI_VERSION >= 4
  const auto of_bytes = [&](int root) {
    MPI_Bcast_c(data, static_cast<MPI_Count>(kWords) * 8, MPI_BYTE, root, MPI_COMM_WORLD);
  };
  broadcast(kWords, 0, of_bytes, "large count");
#endif
  MPI_Type_free(&row);
  MPI_Type_free(&row_with_gap);
  MPI_Finalize();
  return 0;
}
