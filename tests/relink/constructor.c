/* A module whose constructor waits for a message of rank 1. */
#include <mpi.h>

__attribute__((constructor)) static void wait_for_message(void) {
  int value;
  MPI_Recv(&value, 1, MPI_INT, 1, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
