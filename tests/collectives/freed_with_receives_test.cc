// Communicators that are freed while receives are pending on them, and then new ones on which
// collectives run: the pending receives, from any source with any tag, must not take the runtime's
// messages. freed_with_receives_test [--threads]: MPI_THREAD_MULTIPLE.
#include <mpi.h>

#include <cstdio>
#include <string_view>
#include <vector>

#include "tests/actor/collectives/mpi_check.h"

namespace {

int rank = 0;
int ranks = 0;

// The first call on a communicator is the MPI library's.
void use(MPI_Comm comm, int number) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  const int root = number % size;
  for (const int count : {3, 3000, 100000}) {
    long sum = 1;
    for (int i = 0; i < 2; ++i) {
      MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_LONG, MPI_SUM, comm);
    }
    CHECK_EQUAL(sum, long{size} * size, "allreduce");
    int me = 0;
    MPI_Comm_rank(comm, &me);
    std::vector<int> words(static_cast<std::size_t>(count), me == root ? number : -1);
    MPI_Bcast(words.data(), count, MPI_INT, root, comm);
    CHECK_EQUAL(words.back(), number, "broadcast");
    std::vector<int> all(static_cast<std::size_t>(size), -1);
    MPI_Gather(&me, 1, MPI_INT, all.data(), 1, MPI_INT, root, comm);
    for (int i = 0; me == root && i < size; ++i) {
      CHECK_EQUAL(all[static_cast<std::size_t>(i)], i, "gather");
    }
    MPI_Barrier(comm);
  }
}

struct Pending {
  int word = -1;
  MPI_Request request = MPI_REQUEST_NULL;
};

}  // namespace

int main(int argc, char** argv) {
  const bool threads = argc > 1 && std::string_view(argv[1]) == "--threads";
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  constexpr int kFreed = 8;
  std::vector<MPI_Comm> freed(kFreed);
  for (MPI_Comm& comm : freed) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<Pending> pending(kFreed);
  for (std::size_t i = 0; i < pending.size(); ++i) {
    MPI_Irecv(&pending[i].word, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, freed[i],
              &pending[i].request);
  }
  for (MPI_Comm& comm : freed) MPI_Comm_free(&comm);
  mpiactor::testing::under_each_leader([] {
    for (int number = 0; number < 4; ++number) {
      MPI_Comm some;
      const int colour = number % 2 == 0 ? 0 : rank % 2;
      MPI_Comm_split(MPI_COMM_WORLD, colour, number < 2 ? rank : -rank, &some);
      use(some, number);
      MPI_Comm_free(&some);
    }
  });
  for (Pending& each : pending) {
    int has_come = 0;
    MPI_Test(&each.request, &has_come, MPI_STATUS_IGNORE);
    CHECK_EQUAL(has_come, 0, "a receive that nobody sends to");
    MPI_Cancel(&each.request);
    MPI_Wait(&each.request, MPI_STATUS_IGNORE);
  }
  if (rank == 0) std::puts("all right");
  MPI_Finalize();
  return 0;
}
