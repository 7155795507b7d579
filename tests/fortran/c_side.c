// What looks_f08.f90 calls on its second rank.
#include <mpi.h>

void barrier_in_c(int comm) {
  MPI_Request request;
  MPI_Ibarrier(MPI_Comm_f2c(comm), &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
