// Rank 0 sends short messages and ends at once; the last rank receives them a second later. What
// the connection could not take by then must still arrive. Usage: late_receiver MESSAGES BYTES
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  MPI_Init(&argc, &argv);
  const int messages = std::atoi(argv[1]);
  std::vector<char> bytes(static_cast<std::size_t>(std::atoi(argv[2])));
  const int size = static_cast<int>(bytes.size());
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  // Connections are made at the first message, with the help of both sides.
  MPI_Barrier(MPI_COMM_WORLD);

  int wrong = 0;
  if (rank == 0) {
    for (int i = 0; i < messages; ++i) {
      bytes.assign(bytes.size(), static_cast<char>(i % 128));
      MPI_Send(bytes.data(), size, MPI_CHAR, ranks - 1, 0, MPI_COMM_WORLD);
    }
  } else if (rank == ranks - 1) {
    sleep(1);
    for (int i = 0; i < messages; ++i) {
      MPI_Recv(bytes.data(), size, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (const char byte : bytes) wrong += byte != static_cast<char>(i % 128);
    }
    std::printf("messages=%d wrong_bytes=%d\n", messages, wrong);
  }
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
