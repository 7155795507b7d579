// MPI_Ireduce_scatter_block on a node of many ranks beside nodes of few: every length that the
// runtime begins it can end.
#include <vector>

#include "tests/actor/collectives/mpi_check.h"
#include "tests/collectives/harness.h"

int main(int argc, char** argv) {
  using namespace mpiactor::testing;
  const Job job(argc, argv);
  const Group& group = job.world();
  for (int elements = 1; elements <= 32; elements += elements < 16 ? 1 : 8) {
    const auto all = static_cast<std::size_t>(2 * elements * group.size);
    std::vector<double> send(all);
    for (std::size_t i = 0; i < all; ++i) send[i] = static_cast<double>(i) + group.rank;
    std::vector<double> recv(static_cast<std::size_t>(2 * elements));
    MPI_Barrier(group.comm);  // a blocking call gets the memory that others lack
    MPI_Request request;
    MPI_Ireduce_scatter_block(send.data(), recv.data(), elements, MPI_C_DOUBLE_COMPLEX, MPI_SUM,
                              group.comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (std::size_t i = 0; i < recv.size(); ++i) {
      const double at = static_cast<double>(i) + 2.0 * elements * group.rank;
      CHECK_EQUAL(recv[i], group.size * at + group.size * (group.size - 1) / 2.0, "a sum");
    }
  }
  return 0;
}
