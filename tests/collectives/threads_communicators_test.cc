// MPI_THREAD_MULTIPLE: the threads of a rank make communicators at once, and every call on them is
// handled.
#include <string>
#include <thread>
#include <vector>

#include "tests/actor/collectives/mpi_check.h"
#include "tests/collectives/harness.h"

namespace {

using namespace mpiactor::testing;

constexpr int kThreads = 24;
constexpr int kRounds = 4;
// More than are kept for the next communicator of the same ranks.
constexpr int kAlive = 6;

void run_thread(MPI_Comm own) {
  for (int round = 0; round < kRounds; ++round) {
    std::vector<MPI_Comm> comms(kAlive);
    for (MPI_Comm& comm : comms) {
      MPI_Comm_dup(own, &comm);
      int ones = 1;
      MPI_Allreduce(MPI_IN_PLACE, &ones, 1, MPI_INT, MPI_SUM, comm);
      int ranks = 0;
      MPI_Comm_size(comm, &ranks);
      CHECK_EQUAL(ones, ranks, "round " + std::to_string(round));
    }
    for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv, MPI_THREAD_MULTIPLE);
  std::vector<MPI_Comm> owns(kThreads);
  for (MPI_Comm& own : owns) MPI_Comm_dup(job.world().comm, &own);
  const long before = hybrid_calls();
  std::vector<std::thread> threads;
  for (const MPI_Comm own : owns) threads.emplace_back(run_thread, own);
  for (std::thread& thread : threads) thread.join();
  CHECK_EQUAL(hybrid_calls() - before, long{kThreads} * kRounds * kAlive, "handled calls");
  for (MPI_Comm& own : owns) MPI_Comm_free(&own);
  return 0;
}
