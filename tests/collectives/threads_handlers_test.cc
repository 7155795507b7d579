// MPI_THREAD_MULTIPLE: while a thread is in a communicator's collective, also in the one that makes
// the container, the communicator's error handler is the program's: another thread may set it, and
// errors of its calls come there.
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "tests/actor/collectives/mpi_check.h"
#include "tests/collectives/harness.h"

namespace {

using namespace mpiactor::testing;

constexpr int kCalls = 3;
constexpr int kTag = 5;

std::atomic<int> handled{0};

void on_error(MPI_Comm*, int*, ...) { ++handled; }

// Runs `meanwhile` on all ranks but the last, which comes to the collective when all have done.
template <typename Meanwhile>
void call(const Group& world, MPI_Comm comm, Meanwhile meanwhile) {
  const int last = world.size - 1;
  const bool is_last = world.rank == last;
  std::thread calling([&] {
    for (int rank = 0; is_last && rank < last; ++rank) {
      MPI_Recv(nullptr, 0, MPI_BYTE, rank, kTag, world.comm, MPI_STATUS_IGNORE);
    }
    int ones = 1;
    MPI_Allreduce(MPI_IN_PLACE, &ones, 1, MPI_INT, MPI_SUM, comm);
    CHECK_EQUAL(ones, world.size, "sum");
  });
  if (!is_last) {
    // The others are in the collective by then.
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    meanwhile();
    MPI_Send(nullptr, 0, MPI_BYTE, last, kTag, world.comm);
  }
  calling.join();
}

void set_meanwhile(const Group& world, MPI_Errhandler handler) {
  for (int calls_before = 0; calls_before < kCalls; ++calls_before) {
    MPI_Comm comm;
    MPI_Comm_dup(world.comm, &comm);
    for (int i = 0; i < calls_before; ++i) MPI_Barrier(comm);
    call(world, comm, [&] { MPI_Comm_set_errhandler(comm, handler); });
    if (world.rank != world.size - 1) {
      MPI_Errhandler now;
      MPI_Comm_get_errhandler(comm, &now);
      CHECK(now == handler, "handler after call " + std::to_string(calls_before));
      MPI_Errhandler_free(&now);
    }
    MPI_Comm_free(&comm);
  }
}

void fail_meanwhile(const Group& world, MPI_Errhandler handler) {
  for (int calls_before = 0; calls_before < kCalls; ++calls_before) {
    MPI_Comm comm;
    MPI_Comm_dup(world.comm, &comm);
    MPI_Comm_set_errhandler(comm, handler);
    for (int i = 0; i < calls_before; ++i) MPI_Barrier(comm);
    handled = 0;
    call(world, comm, [&] { MPI_Send(nullptr, 0, MPI_BYTE, world.size, kTag, comm); });
    const int expected = world.rank == world.size - 1 ? 0 : 1;
    CHECK_EQUAL(handled.load(), expected, "errors in call " + std::to_string(calls_before));
    MPI_Comm_free(&comm);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv, MPI_THREAD_MULTIPLE);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(on_error, &handler);
  set_meanwhile(job.world(), handler);
  fail_meanwhile(job.world(), handler);
  MPI_Errhandler_free(&handler);
  return 0;
}
