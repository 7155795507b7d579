/* -DLIBRARY: a library whose constructor calls MPI_Init, before those of libraries that are loaded
   earlier have run. Else a program that is linked with it, and with plugin.c. */
#include <mpi.h>

#ifdef LIBRARY
__attribute__((constructor)) static void begin(void) { MPI_Init(0, 0); }
int linked(void) { return 0; }
#else
int linked(void);
int broadcast(void);

int main(void) {
  if (broadcast() != 0) return 2;
  return linked() ? 3 : MPI_Finalize();
}
#endif
