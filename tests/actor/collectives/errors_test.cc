// Wrong arguments give the error class that the MPI library gives, through the communicator's error
// handler; a receive buffer that is too short gives MPI_ERR_TRUNCATE and no damage.
#include <string>
#include <vector>

#include "tests/actor/collectives/mpi_check.h"

namespace {

int rank, ranks;
int handler_calls = 0;

void count_errors(MPI_Comm*, int*, ...) { ++handler_calls; }

int class_of(int error) {
  int error_class = 0;
  MPI_Error_class(error, &error_class);
  return error_class;
}

void compare(const char* what, void* buffer, int count, MPI_Datatype type, int root,
             MPI_Comm comm) {
  const int before = handler_calls;
  const int expected = class_of(PMPI_Bcast(buffer, count, type, root, comm));
  const int expected_calls = handler_calls - before;
  const int got = class_of(MPI_Bcast(buffer, count, type, root, comm));
  CHECK_EQUAL(got, expected, what);
  CHECK(expected != MPI_SUCCESS, what);
  CHECK_EQUAL(handler_calls - before, 2 * expected_calls, what);
}

void invalid_arguments(MPI_Comm comm) {
  int value = 0;
  MPI_Datatype uncommitted;
  MPI_Type_contiguous(3, MPI_INT, &uncommitted);
  compare("root too large", &value, 1, MPI_INT, ranks, comm);
  compare("negative root", &value, 1, MPI_INT, -1, comm);
  compare("negative count", &value, -1, MPI_INT, 0, comm);
  compare("null type", &value, 1, MPI_DATATYPE_NULL, 0, comm);
  compare("uncommitted type", &value, 1, uncommitted, 0, comm);
  compare("null buffer", nullptr, 1, MPI_INT, 0, comm);
  MPI_Type_free(&uncommitted);
}

// Root sends `sent` ints, `short_rank` has room for fewer.
void short_buffer(MPI_Comm comm, int sent, int received, int root, int short_rank) {
  const int count = rank == short_rank ? received : sent;
  std::vector<int> values(static_cast<std::size_t>(sent) + 16, -7);
  if (rank == root) {
    for (int i = 0; i < sent; ++i) values[static_cast<std::size_t>(i)] = i + root;
  }
  const int error = MPI_Bcast(values.data(), count, MPI_INT, root, comm);
  const std::string context = "sent " + std::to_string(sent) + " root " + std::to_string(root) +
                              " short " + std::to_string(short_rank);
  if (rank == short_rank) {
    CHECK_EQUAL(class_of(error), MPI_ERR_TRUNCATE, context);
  } else {
    CHECK_EQUAL(error, MPI_SUCCESS, context);
    for (int i = 0; i < sent; ++i)
      CHECK_EQUAL(values[static_cast<std::size_t>(i)], i + root, context);
  }
  for (std::size_t i = static_cast<std::size_t>(count); i < values.size(); ++i) {
    if (rank != root) CHECK_EQUAL(values[i], -7, "beyond the buffer, " + context);
  }
}

// On one node any two sizes will do.
void run(bool one_node) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Errhandler counting;
  MPI_Comm_create_errhandler(count_errors, &counting);
  MPI_Comm_set_errhandler(comm, counting);
  for (int i = 0; i < 3; ++i) {
    int value = i;
    MPI_Bcast(&value, 1, MPI_INT, 0, comm);
    invalid_arguments(comm);
  }
  // The sizes that both sides believe in lie in one class (pushed, or announced).
  for (int root = 0; root < ranks; ++root) {
    const int short_rank = (root + 1 + root % (ranks - 1)) % ranks;
    if (short_rank == root) continue;
    short_buffer(comm, 100, 50, root, short_rank);
    short_buffer(comm, 400, 399, root, short_rank);
    short_buffer(comm, 20000, 15000, root, short_rank);
    short_buffer(comm, 200000, 199999, root, short_rank);
    short_buffer(comm, 10, 10 - 1, root, short_rank);
  }
  if (one_node) {
    for (const int received : {1, 25, 1000, 70000}) {
      short_buffer(comm, 3000000, received, 0, 1);
      short_buffer(comm, 200000, received, 1, 0);
    }
  }
  // After errors the communicator works as before.
  for (int i = 0; i < 10; ++i) {
    long value = rank == i % ranks ? i : -1;
    CHECK_EQUAL(MPI_Bcast(&value, 1, MPI_LONG, i % ranks, comm), MPI_SUCCESS, "");
    CHECK_EQUAL(value, static_cast<long>(i), "");
  }
  MPI_Errhandler_free(&counting);
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const bool one_node = argc > 1 && std::string(argv[1]) == "--one-node";
  mpiactor::testing::under_each_leader([&] { run(one_node); });
  MPI_Finalize();
  return 0;
}
