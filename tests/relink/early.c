/* -DLIBRARY: a library whose constructor calls MPI_Init, before those of libraries that are loaded
   earlier have run. Else a program that is linked with it. */
#include <mpi.h>

#ifdef LIBRARY
__attribute__((constructor)) static void begin(void) { MPI_Init(0, 0); }
int linked(void) { return 0; }
#else
int linked(void);

int main(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 100; i++) {
    int value = rank == i % 2 ? i : -1;
    MPI_Bcast(&value, 1, MPI_INT, i % 2, MPI_COMM_WORLD);
    if (value != i) return 2;
  }
  return linked() ? 3 : MPI_Finalize();
}
#endif
