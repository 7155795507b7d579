// Calls the functions of MPI 4 that it finds, by weak symbols: for a library without them.
#include <stdio.h>

int MPI_Init(int* argc, char*** argv);
int MPI_Bcast(void* buffer, int count, long type, int root, long comm);
#define WEAK __attribute__((weak))
WEAK int MPI_Bcast_c(void* buffer, long count, long type, int root, long comm);
WEAK int PMPI_Bcast_c(void* buffer, long count, long type, int root, long comm);
WEAK int MPI_Bcast_init(void* buffer, int count, long type, int root, long comm, long info,
                        void* request);

int main(int argc, char** argv) {
  const long comm = 0x7000ffff00;  // a handle as long as a pointer
  int buffer = 0;
  long request = 0;
  MPI_Init(&argc, &argv);
  printf("MPI_Bcast: %d\n", MPI_Bcast(&buffer, 1, 1, 0, comm));
  if (MPI_Bcast_c) printf("MPI_Bcast_c: %d\n", MPI_Bcast_c(&buffer, 1, 1, 0, comm) != 0);
  if (PMPI_Bcast_c) printf("PMPI_Bcast_c: %d\n", PMPI_Bcast_c(&buffer, 1, 1, 0, comm) != 0);
  if (MPI_Bcast_init) {
    const int error = MPI_Bcast_init(&buffer, 1, 1, 0, comm, 0, &request);
    printf("MPI_Bcast_init: %d\n", error != 0);
  }
  return 0;
}
