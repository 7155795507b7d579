// Rules that leave calls to the MPI library are the same for all ranks, whatever types they pass
// and whatever a rank could do at once.
#include <string>
#include <vector>

#include "tests/collectives/harness.h"

namespace {

using namespace mpiactor::testing;

// A broadcast for which some ranks need not wait.
void nonblocking_broadcasts(const Group& group) {
  for (int call = 0; call < 200; ++call) {
    const int root = call % group.size;
    int value = group.rank == root ? call : -1;
    MPI_Request request;
    MPI_Ibcast(&value, 1, MPI_INT, root, group.comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (value != call) fail("MPI_Ibcast " + std::to_string(call) + ": wrong data");
  }
}

// After a long nonblocking call, which wants memory that the next blocking call gets, the first
// rank passes another type of the same signature than the others do.
template <typename Exchange>
void mixed_types(const Group& group, const char* name, Exchange exchange) {
  constexpr int kLong = 200'000;
  constexpr int kShort = 4'096;
  const auto ranks = static_cast<std::size_t>(group.size);
  std::vector<char> send(kLong * ranks, static_cast<char>(group.rank + 1));
  std::vector<char> recv(kLong * ranks);
  MPI_Request request;
  MPI_Iallgather(send.data(), kLong, MPI_BYTE, recv.data(), kLong, MPI_BYTE, group.comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  recv.assign(recv.size(), 0);
  MPI_Datatype block;
  MPI_Type_contiguous(kShort, MPI_BYTE, &block);
  MPI_Type_commit(&block);
  if (group.rank == 0) {
    exchange(send.data(), kShort, MPI_BYTE, recv.data(), group.comm);
  } else {
    exchange(send.data(), 1, block, recv.data(), group.comm);
  }
  MPI_Type_free(&block);
  for (std::size_t i = 0; i < kShort * ranks; ++i) {
    if (recv[i] != static_cast<char>(i / kShort + 1)) fail(std::string(name) + ": wrong data");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv);
  const Group& group = job.world();
  for (int i = 0; i < 3; ++i) MPI_Barrier(group.comm);
  nonblocking_broadcasts(group);
  mixed_types(group, "MPI_Allgather",
              [](const void* send, int count, MPI_Datatype type, void* recv, MPI_Comm comm) {
                MPI_Allgather(send, count, type, recv, count, type, comm);
              });
  mixed_types(group, "MPI_Alltoall",
              [](const void* send, int count, MPI_Datatype type, void* recv, MPI_Comm comm) {
                MPI_Alltoall(send, count, type, recv, count, type, comm);
              });
  return 0;
}
