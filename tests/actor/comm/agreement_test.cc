// What ranks agree on; whom errors of other calls go to meanwhile.
#include "actor/comm/agreement.h"

#include <mpi.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/actor/collectives/mpi_check.h"

namespace {

int rank = 0;
int ranks = 0;

int raised = 0;
void count(MPI_Comm*, int*, ...) { ++raised; }

void agree_on_values(MPI_Comm comm) {
  const mpiactor::Agreement agreement(comm);
  CHECK_EQUAL(agreement.all(true), true, "");
  CHECK_EQUAL(agreement.all(rank != 1), false, "");

  std::string why = "rank " + std::to_string(rank);
  CHECK_EQUAL(agreement.all(rank == 0, why), false, "");
  CHECK_EQUAL(why, (rank == 1 ? "rank 1" : ""), "the lowest rank that is against it has a reason");

  std::array<std::uint64_t, 2> words = {~(std::uint64_t{1} << rank), std::uint64_t{1} << 63};
  agreement.intersect(words);
  CHECK_EQUAL(words[0], ~((std::uint64_t{1} << ranks) - 1), "");
  CHECK_EQUAL(words[1], std::uint64_t{1} << 63, "");

  int number = rank == 0 ? 42 : 0;
  agreement.share(&number, sizeof number);
  CHECK_EQUAL(number, 42, "");

  std::vector<int> all(static_cast<std::size_t>(ranks), -1);
  agreement.collect(&rank, sizeof rank, all.data());
  for (int i = 0; i < ranks; ++i) CHECK_EQUAL(all[static_cast<std::size_t>(i)], i, "");
}

void fail_on(MPI_Comm comm) { MPI_Send(&rank, 1, MPI_INT, ranks, 0, comm); }

void errors_are_the_programs(MPI_Comm comm) {
  const mpiactor::Agreement agreement(comm);
  agreement.all(true);
  fail_on(comm);
  CHECK_EQUAL(raised, 1, "the program's handler");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  agree_on_values(MPI_COMM_WORLD);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Errhandler counting;
  MPI_Comm_create_errhandler(count, &counting);
  MPI_Comm_set_errhandler(comm, counting);
  MPI_Errhandler_free(&counting);  // the communicator keeps it
  for (int i = 0; i < 3; ++i) {
    raised = 0;
    errors_are_the_programs(comm);
    agree_on_values(comm);
  }
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
