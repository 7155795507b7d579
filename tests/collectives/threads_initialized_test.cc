// A thread that waits until MPI_Initialized says yes, and then calls collectives while the main
// thread may still be in MPI_Init_thread: all of its calls are handled, or none, on all ranks.
#include <string>
#include <thread>

#include "tests/actor/collectives/mpi_check.h"
#include "tests/collectives/harness.h"

int main(int argc, char** argv) {
  constexpr int kCalls = 500;
  std::thread caller([] {
    int is_there = 0;
    while (!is_there) {
      MPI_Initialized(&is_there);
      std::this_thread::yield();
    }
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int call = 0; call < kCalls; ++call) {
      int sum = call;
      MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      CHECK_EQUAL(sum, ranks * call, "sum of call " + std::to_string(call));
    }
  });
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  CHECK_EQUAL(level, int{MPI_THREAD_MULTIPLE}, "thread level");
  caller.join();
  CHECK(mpiactor::testing::hybrid_calls() >= kCalls / 2, "calls were passed on");
  MPI_Finalize();
  return 0;
}
