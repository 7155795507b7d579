// A user's operation runs on its own thread's stack, also where the MPI library goes on with it in
// the midst of another collective that the runtime handles: some languages look at their stacks.
#include <pthread.h>

#include <string>
#include <vector>

#include "tests/actor/collectives/mpi_check.h"
#include "tests/collectives/harness.h"

namespace {

using namespace mpiactor::testing;

const char* begin_of_stack = nullptr;
const char* end_of_stack = nullptr;
int calls = 0, calls_elsewhere = 0;

void add(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* const from = static_cast<const int*>(in);
  auto* const to = static_cast<int*>(inout);
  for (int i = 0; i < *count; ++i) to[i] += from[i];
  const char here = 0;
  const char* volatile at = &here;
  ++calls;
  calls_elsewhere += at < begin_of_stack || at >= end_of_stack;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  pthread_attr_t attributes;
  void* stack = nullptr;
  std::size_t bytes = 0;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &stack, &bytes);
  begin_of_stack = static_cast<const char*>(stack);
  end_of_stack = begin_of_stack + bytes;

  MPI_Op op;
  MPI_Op_create(add, 0, &op);
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  constexpr int kCount = 5000;
  std::vector<int> mine(kCount), by_user(kCount), by_runtime(kCount);
  // The first one makes what those in the background need.
  MPI_Allreduce(mine.data(), by_runtime.data(), kCount, MPI_INT, MPI_SUM, other);
  for (int round = 0; round < 100; ++round) {
    for (int i = 0; i < kCount; ++i) mine[static_cast<std::size_t>(i)] = rank + i + round;
    MPI_Request requests[2];
    MPI_Iallreduce(mine.data(), by_user.data(), kCount, MPI_INT, op, MPI_COMM_WORLD, &requests[0]);
    MPI_Iallreduce(mine.data(), by_runtime.data(), kCount, MPI_INT, MPI_SUM, other, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK_EQUAL(by_user == by_runtime, true, "sums");
  }
  // Some ranks only get the result.
  PMPI_Allreduce(MPI_IN_PLACE, &calls, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK_EQUAL(calls > 0, true, "operations that have run");
  CHECK_EQUAL(calls_elsewhere, 0, "operations on another stack");
  MPI_Comm_free(&other);
  MPI_Op_free(&op);
  MPI_Finalize();
  return 0;
}
