// Scatterv on one node with blocks that are read from the root's memory, beside short ones: takers
// in time and late, the root late, gaps, a taker with too little room. The argument is
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

enum class Late {
  kNobody,
  kRoot,
  kTakers,
  kUntilRootGoesOn  // the last rank enters when the root has returned
};

struct Case {
  int ints;  // of the last rank's block; the others' are shorter and longer
  int root;
  Late late = Late::kNobody;
  bool has_gaps = false;      // the last rank's buffer
  bool is_too_short = false;  // likewise
};

int value(int of_rank, int i) { return calls * 7919 + of_rank * 104729 + i; }

int ints_of(const Case& c, int of_rank) {
  if (of_rank == ranks - 1) return c.ints;
  return of_rank % 2 == 0 ? c.ints / 4 : 10 + of_rank;
}

void come(const Case& c) {
  if (c.late == Late::kRoot && rank == c.root) usleep(2000);
  if (c.late == Late::kTakers && rank != c.root) usleep(1000 * static_cast<unsigned>(rank + 1));
  if (c.late == Late::kUntilRootGoesOn && rank == ranks - 1) {
    MPI_Recv(nullptr, 0, MPI_INT, c.root, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

void scatterv(const Case& c) {
  ++calls;
  const bool is_last = rank == ranks - 1;
  const int mine = ints_of(c, rank) - (is_last && c.is_too_short ? 100 : 0);
  const int stride = is_last && c.has_gaps ? 2 : 1;
  const std::string context = "call " + std::to_string(calls) + ": " + std::to_string(c.ints) +
                              " ints, root " + std::to_string(c.root);
  std::vector<int> counts, places, all;
  int total = 0;
  for (int r = 0; r < ranks; ++r) {
    counts.push_back(ints_of(c, r));
    places.push_back(total);
    total += counts.back();
  }
  if (rank == c.root) {
    all.resize(static_cast<std::size_t>(total));
    for (int r = 0; r < ranks; ++r) {
      for (int i = 0; i < ints_of(c, r); ++i) {
        all[static_cast<std::size_t>(places[static_cast<std::size_t>(r)] + i)] = value(r, i);
      }
    }
  }
  std::vector<int> got(static_cast<std::size_t>(mine * stride + 200), -1);
  MPI_Datatype type = MPI_INT;
  if (stride > 1) {
    MPI_Type_create_resized(MPI_INT, 0, stride * static_cast<int>(sizeof(int)), &type);
    MPI_Type_commit(&type);
  }
  MPI_Barrier(MPI_COMM_WORLD);  // nobody is late from the call before
  come(c);
  const int error = MPI_Scatterv(all.data(), counts.data(), places.data(), MPI_INT, got.data(),
                                 mine, type, c.root, MPI_COMM_WORLD);
  // The root may write its buffer again at once: from the end, where a read would still be.
  for (std::size_t i = all.size(); i-- > 0;) all[i] = -2;
  if (c.late == Late::kUntilRootGoesOn && rank == c.root) {
    MPI_Send(nullptr, 0, MPI_INT, ranks - 1, 0, MPI_COMM_WORLD);
  }
  int error_class = MPI_SUCCESS;
  if (error != MPI_SUCCESS) MPI_Error_class(error, &error_class);
  CHECK_EQUAL(error_class, is_last && c.is_too_short ? MPI_ERR_TRUNCATE : MPI_SUCCESS, context);
  for (std::size_t i = 0; i < got.size(); ++i) {
    const bool is_data =
        i % static_cast<std::size_t>(stride) == 0 && i < static_cast<std::size_t>(mine * stride);
    CHECK_EQUAL(got[i], is_data ? value(rank, static_cast<int>(i) / stride) : -1,
                context + ", at " + std::to_string(i));
  }
  if (stride > 1) MPI_Type_free(&type);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  CHECK(argc == 2 && mpiactor_single_copy_calls, "usage: auto|off, with the runtime preloaded");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Barrier(MPI_COMM_WORLD);  // the call before the container
  // In a send buffer, as long as one, longer, longer than what is handed over.
  for (const int ints : {20 << 10, 64 << 10, 300 << 10, 1200 << 10}) {
    for (const int root : {0, ranks / 2}) {
      for (const Late late : {Late::kNobody, Late::kRoot, Late::kTakers, Late::kNobody}) {
        scatterv({ints, root, late});
      }
      scatterv({ints, root, Late::kNobody, true});
      scatterv({ints, root, Late::kTakers, true});
      if (root != ranks - 1) scatterv({ints, root, Late::kNobody, false, true});
    }
  }
  // Blocks that a send buffer holds wait there for those who come late.
  for (int i = 0; i < 20; ++i) scatterv({20 << 10, 0, Late::kUntilRootGoesOn});
  const bool is_off = std::string_view(argv[1]) == "off";
  long single_copies = mpiactor_single_copy_calls();
  MPI_Allreduce(MPI_IN_PLACE, &single_copies, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  CHECK(is_off ? single_copies == 0 : single_copies > 8,
        std::to_string(single_copies) + " calls by single copy");
  MPI_Finalize();
  return 0;
}
