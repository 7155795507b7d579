/* A module that brings its own MPI library, as an interpreter's extension does. */
#include <mpi.h>

int is_initialized(void) {
  int flag;
  MPI_Initialized(&flag);
  return flag;
}

int broadcast(void) {
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < 100; i++) {
    const int root = i % 2 % ranks;
    int value = rank == root ? i : -1;
    MPI_Bcast(&value, 1, MPI_INT, root, MPI_COMM_WORLD);
    if (value != i) return 2;
  }
  return 0;
}

int run(void) {
  MPI_Init(0, 0);
  if (broadcast() != 0) return 2;
  return is_initialized() ? MPI_Finalize() : 3;
}
