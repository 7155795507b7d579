/* A library that initialises MPI in a constructor, before libraries that are preloaded have run their
   own, and finalises it in a destructor. Both call collectives, as the program does in between.
   Compiled by in_library_test.sh, with OF_LIBRARY and without. */
#include "tests/persistent_names.h"
#include <mpi.h>
#include <stdio.h>

enum { kCount = 20000 };

void call_collectives(const char *where);

#ifdef OF_LIBRARY
static int wrong = 0;

static void check(const double *values, int count, double wanted) {
  for (int i = 0; i < count; ++i) wrong += values[i] != wanted;
}

void call_collectives(const char *where) {
  static double values[kCount], result[kCount];
  int rank, ranks, all_wrong = 0;
  MPI_Comm comm;
  MPI_Request request;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int i = 0; i < 20; ++i) {
    const int count = i % 2 ? kCount : 10, root = i % ranks;
    for (int k = 0; k < count; ++k) values[k] = rank == root ? i : -1;
    MPI_Bcast(values, count, MPI_DOUBLE, root, comm);
    check(values, count, i);
    MPI_Allreduce(values, result, count, MPI_DOUBLE, MPI_SUM, comm);
    check(result, count, i * ranks);
  }
  for (int k = 0; k < kCount; ++k) values[k] = rank == 0 ? 7 : -1;
  MPI_Ibcast(values, kCount, MPI_DOUBLE, 0, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(values, kCount, 7);
  MPI_Allreduce_init(values, result, kCount, MPI_DOUBLE, MPI_SUM, comm, MPI_INFO_NULL, &request);
  for (int i = 0; i < 3; ++i) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(result, kCount, 7.0 * ranks);
  }
  MPI_Request_free(&request);
  MPI_Comm_free(&comm);
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%s: wrong=%d\n", where, all_wrong);
}

__attribute__((constructor)) static void begin(void) {
  MPI_Init(NULL, NULL);
  call_collectives("constructor");
}

__attribute__((destructor)) static void end(void) {
  call_collectives("destructor");
  fflush(stdout);
  MPI_Finalize();
}
#else
int main(void) {
  call_collectives("main");
  return 0;
}
#endif
