// Broadcasts, blocking and not, in which a member of the root's node enters only when the last
// rank, which has got the message, says so. Who leads there is announced to that member, too; with
// an MPI library that sends nothing before its receiver takes it, nobody stays for that.
#include <algorithm>
#include <string>
#include <vector>

#include "tests/actor/collectives/mpi_check.h"

namespace {

constexpr int kRoot = 0;
constexpr int kLate = 1;
constexpr int kCalls = 20;

void broadcast(std::vector<unsigned char>& message, bool blocking) {
  const int bytes = static_cast<int>(message.size());
  if (blocking) {
    MPI_Bcast(message.data(), bytes, MPI_BYTE, kRoot, MPI_COMM_WORLD);
    return;
  }
  MPI_Request request;
  MPI_Ibcast(message.data(), bytes, MPI_BYTE, kRoot, MPI_COMM_WORLD, &request);
  int done = 0;
  while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < 20; ++i) MPI_Barrier(MPI_COMM_WORLD);
  for (const bool blocking : {false, true}) {
    for (const int bytes : {1 << 10, 100'000}) {
      std::vector<unsigned char> message(static_cast<std::size_t>(bytes));
      for (int call = 0; call < kCalls; ++call) {
        const auto value = static_cast<unsigned char>(1 + call);
        std::fill(message.begin(), message.end(), rank == kRoot ? value : 0);
        int word = 0;
        if (rank == kLate) {
          MPI_Recv(&word, 1, MPI_INT, ranks - 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        broadcast(message, blocking);
        if (rank == ranks - 1) MPI_Send(&word, 1, MPI_INT, kLate, 7, MPI_COMM_WORLD);
        const std::string context = std::to_string(bytes) + " bytes, call " + std::to_string(call);
        for (const unsigned char byte : message) CHECK_EQUAL(int{byte}, int{value}, context);
      }
    }
  }
  CHECK(mpiactor::testing::hybrid_calls() > kCalls, "calls were passed on");
  MPI_Finalize();
  return 0;
}
