// MPI_THREAD_MULTIPLE: while a thread is still in MPI_Comm_free, the MPI library gives the handle
// of its communicator to the next one, which another thread makes. It is a communicator like any
// other.
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "tests/actor/collectives/mpi_check.h"
#include "tests/collectives/harness.h"
#include "tests/collectives/library_hooks.h"

namespace {

using namespace mpiactor::testing;

constexpr int kRounds = 20;

// The thread that frees goes on when the other one has used its communicator.
std::atomic<bool> freed{false};
std::atomic<bool> used{false};

void wait_for(const std::atomic<bool>& event) {
  while (!event) std::this_thread::sleep_for(std::chrono::microseconds(50));
}

void wait_for_use() {
  freed = true;
  wait_for(used);
}

void expect_sum(MPI_Comm comm, const std::string& when) {
  int ones = 1;
  MPI_Allreduce(MPI_IN_PLACE, &ones, 1, MPI_INT, MPI_SUM, comm);
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  CHECK_EQUAL(ones, ranks, when);
}

// Whether the new communicator had the old one's handle.
bool run_round(MPI_Comm world, int round) {
  MPI_Comm old;
  MPI_Comm_dup(world, &old);
  expect_sum(old, "old one, round " + std::to_string(round));
  const MPI_Comm handle = old;
  freed = used = false;
  call_after_freeing(wait_for_use);
  std::thread freeing([&] { MPI_Comm_free(&old); });
  wait_for(freed);
  const long before = hybrid_calls();
  MPI_Comm fresh;
  MPI_Comm_dup(world, &fresh);
  expect_sum(fresh, "new one, round " + std::to_string(round));
  used = true;
  freeing.join();
  call_after_freeing(nullptr);
  // Its state is not the one that was freed.
  expect_sum(fresh, "again, round " + std::to_string(round));
  CHECK_EQUAL(hybrid_calls() - before, 2L, "handled calls, round " + std::to_string(round));
  const bool is_same = fresh == handle;
  MPI_Comm_free(&fresh);
  return is_same;
}

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv, MPI_THREAD_MULTIPLE);
  MPI_Comm world;
  MPI_Comm_dup(job.world().comm, &world);
  int same = 0;
  for (int round = 0; round < kRounds; ++round) same += run_round(world, round);
  MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_SUM, world);  // Open MPI's are memory's
#if !defined(OMPI_MAJOR_VERSION) || OMPI_MAJOR_VERSION < 5         // which gives none again so soon
  CHECK(same > 0, "handles given again: else nothing was tested");
#endif
  MPI_Comm_free(&world);
  return 0;
}
