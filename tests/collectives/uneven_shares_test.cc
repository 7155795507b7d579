// MPI_Ireduce_scatter_block on a node of many ranks beside nodes of few: every length that the
// runtime begins it can end.
#include <vector>

#include "tests/actor/collectives/mpi_check.h"
#include "tests/collectives/harness.h"

namespace {

using mpiactor::testing::Group;

// Elements of `doubles` doubles.
void scatter_sums(const Group& group, MPI_Comm comm, MPI_Datatype type, int doubles) {
  for (int elements = 1; elements <= 32; elements += elements < 16 ? 1 : 8) {
    const auto all = static_cast<std::size_t>(doubles * elements * group.size);
    std::vector<double> send(all);
    for (std::size_t i = 0; i < all; ++i) send[i] = static_cast<double>(i) + group.rank;
    std::vector<double> recv(static_cast<std::size_t>(doubles * elements));
    MPI_Barrier(comm);  // a blocking call gets the memory that others lack
    MPI_Request request;
    MPI_Ireduce_scatter_block(send.data(), recv.data(), elements, type, MPI_SUM, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (std::size_t i = 0; i < recv.size(); ++i) {
      const double at = static_cast<double>(i) + 1.0 * doubles * elements * group.rank;
      CHECK_EQUAL(recv[i], group.size * at + group.size * (group.size - 1) / 2.0, "a sum");
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const mpiactor::testing::Job job(argc, argv);
  const Group& group = job.world();
  scatter_sums(group, group.comm, MPI_C_DOUBLE_COMPLEX, 2);
  MPI_Comm comm;  // whose memory has not grown
  MPI_Comm_dup(group.comm, &comm);
  scatter_sums(group, comm, MPI_DOUBLE, 1);
  MPI_Comm_free(&comm);
  return 0;
}
