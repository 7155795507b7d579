// Long broadcasts on one node, which may be read from the root's memory: contiguous or with gaps,
// ranks in time and late, buffers that are too short, blocking and not. The argument is
// MPIACTOR_SINGLE_COPY.
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/actor/collectives/mpi_check.h"

extern "C" long mpiactor_single_copy_calls() __attribute__((weak));

namespace {

int rank, ranks;
int calls = 0;

int value(int call, int i) { return call * 7919 + i; }

enum class Late { kNobody, kRoot, kOthers };

void come(Late late, int root) {
  if (late == Late::kRoot && rank == root) usleep(2000);
  if (late == Late::kOthers && rank != root) usleep(1000 * static_cast<unsigned>(rank + 1));
}

// `ints` of them; every `stride`-th on the rank with gaps.
void broadcast(MPI_Comm comm, int ints, int root, Late late, int rank_with_gaps, bool blocking) {
  const int stride = rank == rank_with_gaps ? 2 : 1;
  const std::string context = "call " + std::to_string(++calls) + ": " + std::to_string(ints) +
                              " ints, root " + std::to_string(root);
  std::vector<int> values(static_cast<std::size_t>(ints * stride + 8), -1);
  if (rank == root) {
    for (int i = 0; i < ints; ++i) values[static_cast<std::size_t>(i * stride)] = value(calls, i);
  }
  MPI_Datatype type = MPI_INT;
  if (stride > 1) {
    MPI_Type_create_resized(MPI_INT, 0, stride * static_cast<int>(sizeof(int)), &type);
    MPI_Type_commit(&type);
  }
  come(late, root);
  if (blocking) {
    MPI_Bcast(values.data(), ints, type, root, comm);
  } else {
    MPI_Request request;
    MPI_Ibcast(values.data(), ints, type, root, comm, &request);
    come(late, root);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  // The root may write its buffer again at once.
  if (rank == root && stride == 1) {
    for (int& each : values) each = -2;
  } else {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool is_data =
          i % static_cast<std::size_t>(stride) == 0 && i < static_cast<std::size_t>(ints * stride);
      const int expected = is_data ? value(calls, static_cast<int>(i) / stride) : -1;
      CHECK_EQUAL(values[i], expected, context + ", at " + std::to_string(i));
    }
  }
  if (stride > 1) MPI_Type_free(&type);
}

void short_buffer(MPI_Comm comm, int root) {
  constexpr int kInts = 50'000;
  const bool is_short = rank == (root + 1) % ranks;
  const int count = is_short ? kInts / 2 : kInts;
  std::vector<int> values(kInts, rank == root ? 5 : -1);
  const int error = MPI_Bcast(values.data(), count, MPI_INT, root, comm);
  int error_class = 0;
  MPI_Error_class(error, &error_class);
  CHECK_EQUAL(error_class, is_short ? MPI_ERR_TRUNCATE : MPI_SUCCESS, "short buffer");
  for (int i = 0; i < kInts; ++i) {
    CHECK_EQUAL(values[static_cast<std::size_t>(i)], i < count ? 5 : -1, "short buffer");
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string_view setting = argc > 1 ? argv[1] : "";
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  for (const bool blocking : {true, false}) {
    for (int repetition = 0; repetition < 6; ++repetition) {
      for (const int ints : {16 << 10, 50'001, repetition % 3 ? 100'000 : 700'000}) {
        broadcast(comm, ints, 0, Late::kNobody, -1, blocking);
        broadcast(comm, ints, calls % ranks, Late::kNobody, calls % (2 * ranks), blocking);
      }
    }
    for (int repetition = 0; repetition < 4; ++repetition) {
      broadcast(comm, 64 << 10, 0, Late::kRoot, -1, blocking);
      broadcast(comm, 64 << 10, 0, Late::kOthers, 1, blocking);
    }
  }
  for (int repetition = 0; repetition < 6; ++repetition) short_buffer(comm, repetition % ranks);
  const long direct = mpiactor_single_copy_calls ? mpiactor_single_copy_calls() : -1;
  const bool is_expected = setting == "auto" || (setting == "fixed" && ranks == 2);
  CHECK(direct >= 0 && (direct > 0) == is_expected,
        std::to_string(direct) + " calls by single copy");
  MPI_Comm_free(&comm);
  MPI_Finalize();
  if (rank == 0) std::printf("%d broadcasts, %ld by single copy\n", calls, direct);
  return 0;
}
