// Persistent collectives and messages, started one by one and together: starts. Rank 0 prints
// "starts: wrong=0".
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < 3; ++i) MPI_Barrier(MPI_COMM_WORLD);
  // Requests that are freed leave their handles to the next ones.
  for (int round = 0; round < 3; ++round) {
    int own, sum, message, word = -1;
    MPI_Request requests[3];
    MPI_Status statuses[3];
    MPI_Allreduce_init(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Send_init(&message, 1, MPI_INT, (rank + 1) % ranks, 7, MPI_COMM_WORLD, &requests[1]);
    MPI_Recv_init(&word, 1, MPI_INT, (rank + ranks - 1) % ranks, 7, MPI_COMM_WORLD, &requests[2]);
    for (int call = 0; call < 6; ++call) {
      own = rank + call;
      message = rank * 100 + call;
      if (call % 2 == 0) {
        for (int i = 0; i < 3; ++i) MPI_Start(&requests[i]);
      } else {
        MPI_Startall(3, requests);
      }
      MPI_Waitall(3, requests, statuses);
      wrong += sum != ranks * (ranks - 1) / 2 + ranks * call;
      wrong += word != (rank + ranks - 1) % ranks * 100 + call;
    }
    for (int i = 0; i < 3; ++i) MPI_Request_free(&requests[i]);
    // With the handles of those that were freed.
    MPI_Send_init(&message, 1, MPI_INT, (rank + 1) % ranks, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(&word, 1, MPI_INT, (rank + ranks - 1) % ranks, 7, MPI_COMM_WORLD, &requests[1]);
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, statuses);
    for (int i = 0; i < 2; ++i) MPI_Request_free(&requests[i]);
  }
  MPI_Reduce(rank == 0 ? MPI_IN_PLACE : &wrong, &wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("starts: wrong=%d\n", wrong);
  MPI_Finalize();
  return 0;
}
