/* A library that brings its own MPI library, as Python modules do: whoever loads it loads MPICH
 * with it, seen by nobody else (RTLD_LOCAL, the default of Python and of ctypes). */
#include <mpi.h>
#include <stddef.h>

int begin(void) { return MPI_Init(NULL, NULL); }
int end(void) { return MPI_Finalize(); }

int rank(void) {
  int value;
  MPI_Comm_rank(MPI_COMM_WORLD, &value);
  return value;
}

int ranks(void) {
  int value;
  MPI_Comm_size(MPI_COMM_WORLD, &value);
  return value;
}

int bcast(double* numbers, int n, int root) {
  return MPI_Bcast(numbers, n, MPI_DOUBLE, root, MPI_COMM_WORLD);
}

int allreduce(const double* numbers, double* sums, int n) {
  return MPI_Allreduce(numbers, sums, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int reduce(const double* numbers, double* sums, int n, int root) {
  return MPI_Reduce(numbers, sums, n, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
}

int allgather(const double* numbers, double* all, int n) {
  return MPI_Allgather(numbers, n, MPI_DOUBLE, all, n, MPI_DOUBLE, MPI_COMM_WORLD);
}

int alltoall(const double* numbers, double* all, int n) {
  return MPI_Alltoall(numbers, n, MPI_DOUBLE, all, n, MPI_DOUBLE, MPI_COMM_WORLD);
}

int barrier(void) { return MPI_Barrier(MPI_COMM_WORLD); }
