// A program's operation with large variables, which the MPI library may call wherever it goes on
// with its own reductions: also while the runtime's are under way in the background.
#include <unistd.h>

#include <array>
#include <cstddef>
#include <vector>

#include "tests/actor/collectives/mpi_check.h"
#include "tests/collectives/harness.h"

namespace {

using namespace mpiactor::testing;

constexpr int kCount = 1000;
constexpr int kTimes = 150;

void add(void* in, void* inout, int* count, MPI_Datatype*) {
  volatile char large[2 << 20];
  for (std::size_t i = sizeof large; i-- > 0;) large[i] = 1;
  const int* const from = static_cast<const int*>(in);
  int* const to = static_cast<int*>(inout);
  for (int i = 0; i < *count; ++i) to[i] += from[i] * large[i];
}

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv);
  const Group& group = job.world();
  MPI_Op op;
  MPI_Op_create(add, 1, &op);
  MPI_Comm handled;
  MPI_Comm_dup(group.comm, &handled);
  for (int i = 0; i < 2; ++i) MPI_Barrier(handled);
  const std::vector<int> mine(kCount, group.rank);
  std::vector<int> sums(kCount);
  const int expected = group.size * (group.size - 1) / 2;
  for (int time = 0; time < kTimes; ++time) {
    int sum = 0;
    std::array<MPI_Request, 2> requests;
    MPI_Iallreduce(mine.data(), sums.data(), kCount, MPI_INT, op, group.comm, &requests[0]);
    MPI_Iallreduce(mine.data(), &sum, 1, MPI_INT, MPI_SUM, handled, &requests[1]);
    if (time % group.size == group.rank) usleep(1000);
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    CHECK_EQUAL(sum, expected, "the runtime's sum");
    CHECK(sums == std::vector<int>(kCount, expected), "the library's sums");
  }
  MPI_Comm_free(&handled);
  MPI_Op_free(&op);
  return 0;
}
